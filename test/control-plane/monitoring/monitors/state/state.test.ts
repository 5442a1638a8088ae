import test from 'ava';
import fc from 'fast-check';
import { voteLifetimeMs } from '#control-plane/monitoring/monitors/state/state.ts';

for (const [intervalMs, timeoutMs, lifetimeMs] of [
  [10_000, 500, 22_000],
  [10_000, 1000, 23_000],
  [10_000, 10_000, 41_000],
  [60_000, 20_000, 120_000],
  [60_000, 24_500, 120_000],
  [60_000, 24_501, 120_002],
  [86_400_000, 60_000, 172_800_000],
] as const) {
  test(`checked every ${intervalMs} ms within ${timeoutMs} ms, a vote counts for ${lifetimeMs} ms`, t => {
    t.is(voteLifetimeMs(intervalMs, timeoutMs), lifetimeMs);
  });
}

test('a vote outlives the next check even if both of its attempts reach their deadline', t => {
  fc.assert(
    fc.property(
      fc.integer({ min: 10_000, max: 86_400_000 }),
      fc.integer({ min: 500, max: 60_000 }),
      (interval, timeout) => {
        fc.pre(timeout <= interval);
        const lifetime = voteLifetimeMs(interval, timeout);
        return lifetime > interval + 2 * timeout && lifetime >= 2 * interval;
      },
    ),
  );
  t.pass();
});
