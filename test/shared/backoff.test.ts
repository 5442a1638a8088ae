import test from 'ava';
import fc from 'fast-check';
import { fullJitter } from '#shared/backoff.ts';

const almostOne = 1 - 1e-9;
const random = fc.double({ min: 0, max: almostOne, noNaN: true });
const span = fc.integer({ min: 1, max: 1_000_000 });

for (const [failures, waitMs] of [
  [0, 99],
  [1, 199],
  [2, 399],
  [5, 3199],
  [6, 4999],
  [100, 4999],
  [Number.MAX_SAFE_INTEGER, 4999],
] as const)
  test(`after ${failures} failures the longest wait is ${waitMs} ms`, t => {
    t.is(fullJitter(failures, 100, 5000, almostOne), waitMs);
    t.is(fullJitter(failures, 100, 5000, 0), 0);
  });

test('every wait is a whole number below the cap', t => {
  fc.assert(
    fc.property(fc.nat(), span, span, random, (failures, baseMs, capMs, chance) => {
      const waitMs = fullJitter(failures, baseMs, capMs, chance);
      t.true(Number.isInteger(waitMs) && waitMs >= 0 && waitMs < capMs);
    }),
  );
});

test('with the same luck a further failure never shortens the wait', t => {
  fc.assert(
    fc.property(fc.nat({ max: 60 }), span, span, random, (failures, baseMs, capMs, chance) => {
      t.true(fullJitter(failures + 1, baseMs, capMs, chance) >= fullJitter(failures, baseMs, capMs, chance));
    }),
  );
});
