import test from 'ava';
import fc from 'fast-check';
import { retryAfterSeconds } from '#control-plane/platform/http/limits/token-bucket.ts';

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
