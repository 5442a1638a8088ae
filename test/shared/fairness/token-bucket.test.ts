import test from 'ava';
import fc from 'fast-check';
import { retryAfterSeconds, TokenBucket, tokensAt } from '#shared/fairness/token-bucket.ts';

type Level = { tokens: number; perSecond: number };
const cases: [what: string, levels: Level[], count: number, seconds: number | null][] = [
  ['no bucket', [], 5, null],
  ['just enough', [{ tokens: 5, perSecond: 1 }], 5, null],
  ['enough but for a rounding error', [{ tokens: 5 - 1e-9, perSecond: 1 }], 5, null],
  ['one token short at one per second', [{ tokens: 4, perSecond: 1 }], 5, 1],
  ['a fraction short: never less than a second', [{ tokens: 4.99, perSecond: 100 }], 5, 1],
  ['whole seconds, rounded up', [{ tokens: 0, perSecond: 2 }], 5, 3],
  ['exactly three seconds', [{ tokens: 2, perSecond: 1 }], 5, 3],
  ['a request per minute', [{ tokens: 0, perSecond: 1 / 60 }], 1, 60],
  [
    'the slowest of several buckets',
    [
      { tokens: 9, perSecond: 1 },
      { tokens: 1, perSecond: 1 },
    ],
    5,
    4,
  ],
];
for (const [what, levels, count, seconds] of cases)
  test(`${what}: ${seconds === null ? 'granted' : `refused for ${seconds} s`}`, t =>
    t.is(retryAfterSeconds(levels, count), seconds));

test('after the seconds told the count is there, and a second earlier it is not', t => {
  const tokens = fc.integer({ min: -1000, max: 1000 });
  const level = fc.record({ tokens, perSecond: fc.integer({ min: 1, max: 1000 }) });
  fc.assert(
    fc.property(fc.array(level, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 1000 }), (levels, count) => {
      const seconds = retryAfterSeconds(levels, count);
      const hasEnough = (after: number) =>
        levels.every(({ tokens, perSecond }) => tokens + after * perSecond >= count - 1e-3);
      if (seconds === null) return t.true(hasEnough(0));
      t.true(hasEnough(seconds));
      if (seconds > 1) t.false(hasEnough(seconds - 1));
    }),
  );
});

test('a burst is free, what exceeds it is waited for at the rate', t => {
  const bucket = new TokenBucket({ perSecond: 10, capacity: 20 }, 0);
  t.is(bucket.charge(20, 0), 0);
  t.is(bucket.charge(5, 0), 500);
  t.is(bucket.charge(0, 500), 0);
  t.is(bucket.charge(1, 500), 100);
});

test('idle time refills no more than the burst, and a clock that goes back takes nothing away', t => {
  const bucket = new TokenBucket({ perSecond: 10, capacity: 20 }, 1000);
  t.is(bucket.charge(0, 1_000_000), 0);
  t.is(bucket.charge(20, 0), 0);
  t.is(bucket.charge(10, 0), 1000);
});

test('a sender that waits as long as it is told never exceeds burst plus rate', t => {
  const counts = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(counts, charges => {
      const limits = { perSecond: 100, capacity: 300 };
      const bucket = new TokenBucket(limits, 0);
      let nowMs = 0;
      let sent = 0;
      for (const count of charges) {
        sent += count;
        nowMs += bucket.charge(count, nowMs);
        t.true(sent <= limits.capacity + (nowMs * limits.perSecond) / 1000 + 1e-6);
      }
    }),
  );
});

test('however a bucket is charged, it never grants more than its capacity and its rate', t => {
  const charge = fc.record({ count: fc.integer({ min: 0, max: 60 }), laterMs: fc.integer({ min: -500, max: 3000 }) });
  fc.assert(
    fc.property(fc.array(charge, { maxLength: 50 }), charges => {
      const bucket = { capacity: 50, perSecond: 10 };
      let level = { tokens: bucket.capacity, atMs: 0 };
      let [granted, latestMs] = [0, 0];
      for (const { count, laterMs } of charges) {
        const nowMs = level.atMs + laterMs;
        latestMs = Math.max(latestMs, nowMs);
        const tokens = tokensAt(nowMs, level, bucket);
        t.true(tokens <= bucket.capacity);
        if (laterMs > 0 && count <= tokens) {
          granted += count;
          level = { tokens: tokens - count, atMs: nowMs };
        }
      }
      t.true(granted <= bucket.capacity + (latestMs * bucket.perSecond) / 1000 + 1e-6);
    }),
  );
});
