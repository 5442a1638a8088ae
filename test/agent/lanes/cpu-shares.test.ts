import test from 'ava';
import fc from 'fast-check';
import { CpuShares, levelOf } from '#agent/lanes/cpu-shares.ts';

const secondMicros = 1_000_000;

function openShares(lanes = 10) {
  const clock = { ms: 0 };
  const shares = new CpuShares(
    () => lanes,
    () => clock.ms,
  );
  const spend = (lane: string, seconds: number) => shares.of(lane).spend(seconds * secondMicros);
  const isShort = (lane: string) => shares.of(lane).isShort();
  return { clock, spend, isShort };
}

test('while less than half of the time is used, one lane may use all of that', t => {
  const { spend, isShort } = openShares();
  spend('a', 4.9);
  spend('b', 0.1);
  t.false(isShort('a'));
  t.false(isShort('b'));
});

test('beyond that the lanes that use most are short, and others are not, until ten seconds have passed', t => {
  const { clock, spend, isShort } = openShares();
  spend('a', 3);
  spend('b', 0.2);
  clock.ms = 4000;
  spend('a', 3);
  t.true(isShort('a'));
  t.false(isShort('b'));
  t.false(isShort('new'));
  clock.ms = 9900;
  t.true(isShort('a'));
  clock.ms = 10_000;
  t.false(isShort('a'));
});

test('many lanes that use much are short together, and one that uses little is not', t => {
  const { spend, isShort } = openShares(100);
  for (let lane = 0; lane < 50; lane++) spend(`heavy ${lane}`, 0.15);
  spend('light', 0.05);
  for (let lane = 0; lane < 50; lane++) t.true(isShort(`heavy ${lane}`));
  t.false(isShort('light'));
});

test('a single lane may use everything', t => {
  const { spend, isShort } = openShares(1);
  spend('a', 9);
  t.false(isShort('a'));
});

const levels: [used: number[], total: number, level: number][] = [
  [[], 10, Number.POSITIVE_INFINITY],
  [[4, 6], 10, Number.POSITIVE_INFINITY],
  [[12], 10, 10],
  [[1, 20, 30], 10, 4.5],
  [[8, 8, 8, 8], 10, 2.5],
];
for (const [used, total, level] of levels)
  test(`who uses ${used.join(', ')} of ${total} may use ${level}`, t => {
    t.is(levelOf(used, total), level);
  });

test('all together use no more than there is at the level, and exactly that if they want more', t => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { maxLength: 20 }), fc.integer({ min: 1, max: 5000 }), (used, total) => {
      const level = levelOf(used, total);
      const sum = used.reduce((before, amount) => before + Math.min(amount, level), 0);
      const wanted = used.reduce((before, amount) => before + amount, 0);
      t.true(Math.abs(sum - Math.min(wanted, total)) < 1e-6);
    }),
  );
});
