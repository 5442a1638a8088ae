import test from 'ava';
import fc from 'fast-check';
import { LocalLimiter } from '#control-plane/analytics/events/local-limiter.ts';

const bucket = (amount: number) => ({ key: 'k', capacity: 100, perSecond: 10, amount, floor: 0 });

test('a process alone grants no more than the capacity and the rate', t => {
  const requests = fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 3000 })));
  const property = fc.property(requests, list => {
    const limiter = new LocalLimiter();
    let [nowMs, granted] = [0, 0];
    for (const [amount, laterMs] of list) {
      nowMs += laterMs;
      if (limiter.charge([bucket(amount)], nowMs) === null) granted += amount;
    }
    return granted <= 100 + (nowMs / 1000) * 10 + 1e-6;
  });
  t.notThrows(() => fc.assert(property));
});

test('all buckets are charged or none', t => {
  const limiter = new LocalLimiter();
  const small = { ...bucket(30), key: 'small', capacity: 20 };
  t.not(limiter.charge([bucket(100), small], 0), null);
  t.is(limiter.charge([bucket(100)], 0), null);
  t.is(limiter.charge([bucket(1)], 0)?.reason, 'rate');
});
