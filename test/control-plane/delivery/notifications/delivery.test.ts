import test from 'ava';
import fc from 'fast-check';
import { retryDelayMs, retryDelaysMs, settle } from '#control-plane/delivery/notifications/delivery.ts';
import type { Outcome } from '#control-plane/delivery/transports/outcome.ts';

test('the delay before each retry', t => {
  const delays = retryDelaysMs.map((_, index) => retryDelayMs(index + 1, 0));
  const [second, minute, hour] = [1000, 60_000, 3_600_000];
  t.deepEqual(delays, [
    ...[5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute],
    ...[hour, 2 * hour, 4 * hour, 8 * hour, 8 * hour],
  ]);
  t.is(retryDelayMs(delays.length + 1, 0), null);
});

test('a failed attempt is retried for about a day, each delay at least as long as the last', t => {
  t.deepEqual(
    retryDelaysMs,
    retryDelaysMs.toSorted((left, right) => left - right),
  );
  const hours = retryDelaysMs.reduce((sum, delay) => sum + delay, 0) / 3_600_000;
  t.true(hours > 23 && hours < 25);
});

const attemptsOf = fc.integer({ min: 1, max: retryDelaysMs.length + 3 });
const randomOf = fc.double({ min: 0, max: 0.999, noNaN: true });

test('jitter lengthens a delay by a fifth at most', t => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: retryDelaysMs.length }), randomOf, (attempts, random) => {
      const [delay, base] = [retryDelayMs(attempts, random) ?? 0, retryDelaysMs[attempts - 1] ?? 0];
      return delay >= base && delay <= base * 1.2;
    }),
  );
  t.not(retryDelayMs(1, 0), retryDelayMs(1, 0.9), 'deliveries that failed together are retried apart');
});

const failed = (changes: Partial<Extract<Outcome, { type: 'failed' }>> = {}): Outcome => ({
  type: 'failed',
  error: 'e',
  retryAfterMs: null,
  ours: false,
  ...changes,
});
const last = retryDelaysMs.length + 1;
const cases: [title: string, Outcome, attempts: number, ReturnType<typeof settle>][] = [
  [
    'an accepted message is sent',
    { type: 'sent' },
    1,
    { state: 'sent', error: null, retryInMs: null, blame: false, gone: false },
  ],
  [
    'a failed attempt is retried',
    failed(),
    1,
    { state: 'queued', error: 'e', retryInMs: 5000, blame: false, gone: false },
  ],
  [
    'a longer Retry-After is respected',
    failed({ retryAfterMs: 60_000 }),
    1,
    { state: 'queued', error: 'e', retryInMs: 60_000, blame: false, gone: false },
  ],
  [
    'a shorter Retry-After is not',
    failed({ retryAfterMs: 1000 }),
    2,
    { state: 'queued', error: 'e', retryInMs: 30_000, blame: false, gone: false },
  ],
  [
    'a Retry-After counts for one hour at most',
    failed({ retryAfterMs: 1e12 }),
    1,
    { state: 'queued', error: 'e', retryInMs: 3_600_000, blame: false, gone: false },
  ],
  [
    'the last attempt that fails ends the delivery and counts against the recipient',
    failed(),
    last,
    { state: 'failed', error: 'e', retryInMs: null, blame: true, gone: false },
  ],
  [
    'the last attempt that fails through us counts against nobody',
    failed({ ours: true }),
    last,
    { state: 'failed', error: 'e', retryInMs: null, blame: false, gone: false },
  ],
  [
    'a refusal ends the delivery at once and counts against the recipient',
    { type: 'refused', error: 'no', gone: false, ours: false },
    1,
    { state: 'failed', error: 'no', retryInMs: null, blame: true, gone: false },
  ],
  [
    'a refusal of our message counts against nobody',
    { type: 'refused', error: 'no', gone: false, ours: true },
    1,
    { state: 'failed', error: 'no', retryInMs: null, blame: false, gone: false },
  ],
  [
    'a recipient that is gone is reported as gone',
    { type: 'refused', error: '410', gone: true, ours: false },
    1,
    { state: 'failed', error: '410', retryInMs: null, blame: true, gone: true },
  ],
  [
    'a held delivery keeps its reason',
    { type: 'on_hold', error: 'no server' },
    1,
    { state: 'held', error: 'no server', retryInMs: null, blame: false, gone: false },
  ],
  [
    'a cancelled delivery keeps its reason',
    { type: 'cancelled', error: 'unsubscribed' },
    1,
    { state: 'cancelled', error: 'unsubscribed', retryInMs: null, blame: false, gone: false },
  ],
];
for (const [title, outcome, attempts, expected] of cases)
  test(title, t => t.deepEqual(settle(outcome, attempts, 0), expected));

const outcomeOf: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constant<Outcome>({ type: 'sent' }),
  fc.record({ type: fc.constantFrom('on_hold' as const, 'cancelled' as const), error: fc.string() }),
  fc.record({ type: fc.constant('refused' as const), error: fc.string(), gone: fc.boolean(), ours: fc.boolean() }),
  fc.record({
    type: fc.constant('failed' as const),
    error: fc.string(),
    retryAfterMs: fc.option(fc.nat({ max: 1e9 })),
    ours: fc.boolean(),
  }),
);

test('only a queued delivery has a next attempt, and only a failed one counts against its recipient', t => {
  fc.assert(
    fc.property(outcomeOf, attemptsOf, randomOf, (outcome, attempts, random) => {
      const { state, retryInMs, blame, gone } = settle(outcome, attempts, random);
      const ours = 'ours' in outcome && outcome.ours;
      return (
        (state === 'queued') === (retryInMs !== null) &&
        (!blame || state === 'failed') &&
        !(ours && blame) &&
        (!gone || state === 'failed') &&
        (retryInMs ?? 0) >= 0 &&
        (retryInMs ?? 0) <= 1.2 * 8 * 3_600_000
      );
    }),
  );
  t.pass();
});
