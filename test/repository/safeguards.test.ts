import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { safeguards } from '#test/safeguards/list.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));

test('each safeguard that is removed for a try stands in the code once, and its tests exist', t => {
  for (const { row, name, file, text, instead, tests } of safeguards) {
    t.is(readFileSync(join(top, file), 'utf8').split(text).length, 2, `${row} ${name}: change test/safeguards/list.ts`);
    t.not(text, instead);
    for (const path of tests) t.true(existsSync(join(top, path)), path);
  }
  const rows = new Set(safeguards.map(({ row }) => row));
  for (let number = 1; number <= 10; number++) t.true(rows.has(`S${number}`), `S${number}`);
});
