import test from 'ava';
import fc from 'fast-check';
import { IntakeBudget } from '#control-plane/agents/intake-budget.ts';

test('a burst is free, what exceeds it is waited for at the rate', t => {
  const budget = new IntakeBudget({ perSecond: 10, burst: 20 }, 0);
  t.is(budget.charge(20, 0), 0);
  t.is(budget.charge(5, 0), 500);
  t.is(budget.charge(0, 500), 0);
  t.is(budget.charge(1, 500), 100);
});

test('idle time refills no more than the burst, and a clock that goes back takes nothing away', t => {
  const budget = new IntakeBudget({ perSecond: 10, burst: 20 }, 1000);
  t.is(budget.charge(0, 1_000_000), 0);
  t.is(budget.charge(20, 0), 0);
  t.is(budget.charge(10, 0), 1000);
});

test('a sender that waits as long as it is told never exceeds burst plus rate', t => {
  const counts = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(counts, charges => {
      const limits = { perSecond: 100, burst: 300 };
      const budget = new IntakeBudget(limits, 0);
      let nowMs = 0;
      let sent = 0;
      for (const count of charges) {
        sent += count;
        nowMs += budget.charge(count, nowMs);
        t.true(sent <= limits.burst + (nowMs * limits.perSecond) / 1000 + 1e-6);
      }
    }),
  );
});
