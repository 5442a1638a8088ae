import test from 'ava';
import fc from 'fast-check';
import { type Outcome, retryDelayMs, retryDelaysMs, settle } from '#control-plane/notifications/delivery.ts';

test('an attempt that failed is repeated for about a day, each wait at least as long as the last', t => {
  t.deepEqual(
    retryDelaysMs,
    retryDelaysMs.toSorted((left, right) => left - right),
  );
  const hours = retryDelaysMs.reduce((sum, delay) => sum + delay, 0) / 3_600_000;
  t.true(hours > 23 && hours < 25);
  t.is(retryDelayMs(1, 0), 5000);
  t.is(retryDelayMs(retryDelaysMs.length, 0), 8 * 3_600_000);
  t.is(retryDelayMs(retryDelaysMs.length + 1, 0), null);
});

test('jitter lengthens a wait by a fifth at most', t => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: retryDelaysMs.length }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (attempts, random) => {
        const [wait, base] = [retryDelayMs(attempts, random) ?? 0, retryDelaysMs[attempts - 1] ?? 0];
        return wait >= base && wait <= base * 1.2;
      },
    ),
  );
  t.pass();
});

const failed = (changes: Partial<Extract<Outcome, { type: 'failed' }>> = {}): Outcome => ({
  type: 'failed',
  error: 'e',
  retryAfterMs: null,
  ours: false,
  ...changes,
});
const last = retryDelaysMs.length + 1;
const cases: [what: string, Outcome, attempts: number, Partial<ReturnType<typeof settle>>][] = [
  ['what was taken is sent', { type: 'sent' }, 1, { state: 'sent', error: null, retryInMs: null, blame: false }],
  ['what failed waits', failed(), 1, { state: 'queued', error: 'e', retryInMs: 5000, blame: false }],
  [
    'a longer wait that was asked for is kept',
    failed({ retryAfterMs: 60_000 }),
    1,
    { state: 'queued', retryInMs: 60_000 },
  ],
  ['a shorter one is not', failed({ retryAfterMs: 1000 }), 2, { retryInMs: 30_000 }],
  ['nobody makes us wait for more than an hour', failed({ retryAfterMs: 1e12 }), 1, { retryInMs: 3_600_000 }],
  ['the last failure is the end', failed(), last, { state: 'failed', retryInMs: null, blame: true, gone: false }],
  ['which counts against nobody when it was ours', failed({ ours: true }), last, { state: 'failed', blame: false }],
  [
    'a refusal is the end at once',
    { type: 'refused', error: 'no', gone: false, ours: false },
    1,
    { state: 'failed', error: 'no', blame: true, gone: false },
  ],
  [
    'gone is gone',
    { type: 'refused', error: '410', gone: true, ours: false },
    1,
    { state: 'failed', blame: true, gone: true },
  ],
  [
    'what is held can be sent later',
    { type: 'held', error: 'no server' },
    1,
    { state: 'held', error: 'no server', blame: false },
  ],
  [
    'what nobody wants any more is cancelled',
    { type: 'cancelled', error: 'left' },
    1,
    { state: 'cancelled', blame: false },
  ],
];
for (const [what, outcome, attempts, expected] of cases)
  test(what, t => t.like(settle(outcome, attempts, 0), expected));
