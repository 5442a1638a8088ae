import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readState, writeState } from '#deploy/local/state-file.ts';

test('a state file is read as it was written, by its owner only, and leaves no draft behind', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-state-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'below', 'state.json');
  t.is(await readState(path), null);
  await writeState(path, { token: 'upq_1' });
  await writeState(path, { token: 'upq_2' });
  t.deepEqual(await readState(path), { token: 'upq_2' });
  t.is(statSync(path).mode & 0o777, 0o600);
  t.deepEqual(readdirSync(join(folder, 'below')), ['state.json']);
});

test('a damaged state file is named, never replaced', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-state-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'state.json');
  writeFileSync(path, '{"token":');
  await t.throwsAsync(() => readState(path), { message: `${path} is damaged: delete it and start again` });
});
