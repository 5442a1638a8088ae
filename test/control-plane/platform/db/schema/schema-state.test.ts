import test from 'ava';
import type { Migration } from '#control-plane/platform/db/schema/migration-files.ts';
import { compareSchema, SchemaTooNewError } from '#control-plane/platform/db/schema/schema-state.ts';
import { waitForSchema } from '#control-plane/platform/db/wait-for-database.ts';

const file = (name: string): Migration => ({ name, text: '', checksum: `of ${name}`, breaking: false });
const row = (name: string) => ({ name, checksum: `of ${name}` });
const ours = ['1', '2', '3'].map(file);

const cases: readonly [title: string, applied: string[], pending: string[], newer: string[]][] = [
  ['nothing is applied', [], ['1', '2', '3'], []],
  ['all is applied', ['1', '2', '3'], [], []],
  ['one in the middle is missing', ['1', '3'], ['2'], []],
  ['a newer version added one', ['1', '2', '3', '4'], [], ['4']],
];

for (const [title, applied, pending, newer] of cases)
  test(`where ${title}, the rest is applied`, t => {
    const found = compareSchema({ applied: applied.map(row), needed: [] }, ours);
    t.deepEqual([found.pending.map(({ name }) => name), found.newer], [pending, newer]);
  });

test('a file that was changed after it was applied is refused by its name', t => {
  const applied = [{ name: '2', checksum: 'of another' }];
  t.throws(() => compareSchema({ applied, needed: [] }, ours), { message: /^migration 2 was changed after it was/ });
});

test('a migration that all programs need is needed only by those that lack it', t => {
  const applied = ['1', '2', '3', '4'].map(row);
  t.notThrows(() => compareSchema({ applied, needed: ['2', '3'] }, ours));
  t.throws(() => compareSchema({ applied, needed: ['2', '4'] }, ours), {
    instanceOf: SchemaTooNewError,
    message: /^this version is too old for the database.*\(4\): install that version here and restart$/,
  });
});

test('a program that is too old waits, says so once, and goes on when the schema suits it', async t => {
  const lines: string[] = [];
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries < 4) throw new SchemaTooNewError('too old');
    return 'ready';
  };
  t.is(await waitForSchema(work, { error: line => lines.push(line) }, 1), 'ready');
  t.deepEqual(lines, ['too old; waiting']);
  await t.throwsAsync(
    waitForSchema(() => Promise.reject(new Error('edited')), { error: () => t.fail() }, 1),
    { message: 'edited' },
  );
});
