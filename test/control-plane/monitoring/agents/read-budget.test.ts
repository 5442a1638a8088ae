import test from 'ava';
import fc from 'fast-check';
import { byteLimits, dueLimits, SharedBudget } from '#control-plane/monitoring/agents/read-budget.ts';

test('what is due is let in at once and twenty times as fast, within what a process can take', t => {
  t.deepEqual(dueLimits(0), { perSecond: 20, capacity: 1000 });
  t.deepEqual(dueLimits(10), { perSecond: 400, capacity: 12_000 });
  t.deepEqual(dueLimits(100), { perSecond: 4000, capacity: 20_000 });
  t.deepEqual(dueLimits(1000), { perSecond: 5000, capacity: 20_000 });
  t.deepEqual(dueLimits(10_000), { perSecond: 40_000, capacity: 80_000 });
});

test('bytes go with results, and a region with nothing due may say that its agents live', t => {
  const kibibyte = 1024;
  t.deepEqual(byteLimits(dueLimits(0)), { perSecond: 256 * kibibyte, capacity: 4096 * kibibyte });
  t.deepEqual(byteLimits(dueLimits(10)), { perSecond: 400 * kibibyte, capacity: 12_000 * kibibyte });
  t.deepEqual(byteLimits(dueLimits(100_000)), { perSecond: 400_000 * kibibyte, capacity: 800_000 * kibibyte });
});

test('six senders together get what one would', t => {
  const budget = new SharedBudget({ perSecond: 100, capacity: 1000 }, 0);
  const readAgainAt = [0, 0, 0, 0, 0, 0];
  let sent = 0;
  for (let nowMs = 0; nowMs < 10_000; nowMs++) {
    for (const [sender, at] of readAgainAt.entries()) {
      if (nowMs < at) continue;
      sent += 50;
      readAgainAt[sender] = nowMs + budget.charge(`agent ${sender}`, 50, nowMs);
    }
  }
  t.true(sent >= 2000, `${sent}`);
  // The burst of the whole, of the parts, the rate, and the last message of each.
  t.true(sent <= 1000 + 1000 + 1000 + 6 * 50, `${sent}`);
});

test('a sender within its part never waits beside floods', t => {
  const floods = fc.integer({ min: 1, max: 8 });
  fc.assert(
    fc.property(floods, fc.integer({ min: 1, max: 400 }), (count, size) => {
      const budget = new SharedBudget({ perSecond: 900, capacity: 900 }, 0);
      const readAgainAt = Array.from({ length: count }, () => 0);
      for (let nowMs = 0; nowMs < 20_000; nowMs += 10) {
        for (const [sender, at] of readAgainAt.entries())
          if (nowMs >= at) readAgainAt[sender] = nowMs + budget.charge(`flood ${sender}`, size, nowMs);
        if (nowMs % 1000 === 0) t.is(budget.charge('honest', 90, nowMs), 0);
      }
    }),
    { numRuns: 30 },
  );
});

test('a sender that comes again has the budget it left', t => {
  const budget = new SharedBudget({ perSecond: 10, capacity: 100 }, 0);
  t.is(budget.charge('a', 200, 0), 10_000);
  t.is(budget.charge('a', 10, 1000), 10_000);
  t.is(budget.charge('b', 50, 1000), 0);
  t.is(budget.charge('a', 0, 100_000), 0, 'idle time pays');
});

test('with lower limits a burst that was saved is gone', t => {
  const budget = new SharedBudget({ perSecond: 1000, capacity: 1000 }, 0);
  t.is(budget.charge('a', 0, 0), 0);
  budget.limits = { perSecond: 10, capacity: 10 };
  t.is(budget.charge('a', 20, 0), 1000);
});
