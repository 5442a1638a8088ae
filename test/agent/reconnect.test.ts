import test from 'ava';
import fc from 'fast-check';
import { type Ending, reconnectAfterMs } from '#agent/reconnect.ts';

const almostOne = 1 - 1e-9;

const cases: [ending: Ending, random: number, seconds: number][] = [
  [{ type: 'start' }, 0, 0],
  [{ type: 'start' }, almostOne, 0],
  [{ type: 'dropped' }, 0, 0],
  [{ type: 'dropped' }, 0.5, 2.5],
  [{ type: 'dropped' }, almostOne, 5],
  [{ type: 'failed', failures: 0 }, almostOne, 5],
  [{ type: 'failed', failures: 1 }, almostOne, 10],
  [{ type: 'failed', failures: 2 }, almostOne, 12],
  [{ type: 'failed', failures: 3 }, almostOne, 12],
  [{ type: 'failed', failures: 4 }, almostOne, 12],
  [{ type: 'failed', failures: 30 }, almostOne, 12],
  [{ type: 'failed', failures: 1000 }, almostOne, 12],
  [{ type: 'failed', failures: 3 }, 0, 0],
  [{ type: 'goaway', inMs: -5 }, 0.5, 0],
  [{ type: 'goaway', inMs: 700 }, 0.5, 0.7],
  [{ type: 'revoked' }, 0, 60],
  [{ type: 'revoked' }, almostOne, 60],
];
for (const [ending, random, seconds] of cases)
  test(`after ${JSON.stringify(ending)} with ${random.toFixed(2)} the agent waits ${seconds} s`, t => {
    t.is(Math.ceil(reconnectAfterMs(ending, random) / 100) / 10, seconds);
  });

test('after any number of failures the wait is a whole number of milliseconds up to 12 s', t => {
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0, max: almostOne, noNaN: true }), (failures, random) => {
      const waitMs = reconnectAfterMs({ type: 'failed', failures }, random);
      t.true(Number.isInteger(waitMs) && waitMs >= 0 && waitMs <= 12_000);
    }),
  );
});

test('agents that lost the same control plane come back spread over five seconds', t => {
  const waits = Array.from({ length: 100 }, (_, index) => reconnectAfterMs({ type: 'dropped' }, index / 100));
  t.is(new Set(waits).size, 100);
  t.true(Math.max(...waits) - Math.min(...waits) > 4900);
});
