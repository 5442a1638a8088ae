import test from 'ava';
import { CpuShares } from '#agent/lanes/cpu-shares.ts';

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
