import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { costTable } from './costs.ts';

test('the costs of a file are summed, and the files that take longest come first', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-costs-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const costs = [
    { file: 'a', wallMs: 1000, threadMs: 500 },
    { file: 'b', wallMs: 4000, threadMs: 300 },
    { file: 'a', wallMs: 1500, threadMs: 700 },
    { file: 'a', sqlMs: 200 },
  ];
  const path = join(folder, 'costs');
  await writeFile(path, costs.map(cost => `${JSON.stringify(cost)}\n`).join(''));
  t.is(
    costTable(path),
    [
      '    wall  thread     SQL  seconds',
      '     6.5     1.5     0.2  2 files',
      '     4.0     0.3     0.0  b',
      '     2.5     1.2     0.2  a',
      '',
    ].join('\n'),
  );
});
