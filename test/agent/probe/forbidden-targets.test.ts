import { fileURLToPath } from 'node:url';
import test from 'ava';
import { runEverywhere } from '#test/support/everywhere.ts';
import { forbiddenNames, forbiddenTargets } from './forbidden-targets.ts';

type Reached = { url: string; hits: number; code: string | null };
type Report = {
  allowed: Reached[];
  forbidden: Reached[];
  redirected: Reached[];
  rebinding: Reached[];
  kinds: { allowed: Reached[]; forbidden: Reached[] };
};

const script = fileURLToPath(new URL('everywhere.ts', import.meta.url));
test('where every address answers, the guard reaches the public ones and none of the others', async t => {
  const report = await runEverywhere<Report>(script);
  t.deepEqual(
    report.allowed.filter(target => target.hits !== 1),
    [],
    'controls must work',
  );
  t.is(report.forbidden.length, forbiddenTargets.length);
  t.deepEqual(
    report.forbidden.filter(target => target.hits !== 0 || target.code === null),
    [],
  );
  t.deepEqual(
    report.redirected.filter(target => target.hits !== 1 || target.code === null),
    [],
    'only the redirect itself is reached',
  );
  t.deepEqual(
    report.kinds.allowed.filter(target => target.hits === 0),
    [],
    'controls of other kinds must work',
  );
  const waysOfNames = 2 * forbiddenNames.length;
  t.is(report.kinds.forbidden.length, forbiddenTargets.length * report.kinds.allowed.length - waysOfNames);
  t.deepEqual(
    report.kinds.forbidden.filter(target => target.hits !== 0 || target.code === null),
    [],
  );
  t.deepEqual(
    report.rebinding.map(target => [target.hits, target.code]),
    [
      [1, null],
      [0, 'blocked_address'],
    ],
  );
});
