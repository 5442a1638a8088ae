import test from 'ava';
import fc from 'fast-check';
import { decide, rangeOf } from '#control-plane/monitoring/checks/intake/decide-p95.ts';
import type { Accepted } from '#control-plane/monitoring/checks/intake/prepare.ts';
import type { Sample } from '#control-plane/monitoring/checks/intake/window-p95.ts';
import type { NewResult } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import { minuteMs } from '#shared/duration.ts';
import { makeNewResult, makeVersion } from '#test/support/monitor-state.ts';

const at = 100 * minuteMs;
const within = (index: number, window_minutes: number, value_ms = 100) => ({
  index,
  assertion: { operator: 'lt' as const, value_ms, window_minutes },
});
const fiveMinutes = makeVersion({ p95: [within(0, 5)] });
const accepted = (instant: number, changes: Partial<NewResult> = {}, version = fiveMinutes): Accepted => ({
  result: makeNewResult(instant, changes),
  version,
  index: 0,
  isPrivate: false,
});
const sample = (scheduled_at: number, latency_ms: number): Sample => ({ scheduled_at, latency_ms });
/** The outcome of one result whose own latency does not count. */
const decideOne = (item: Accepted, stored: readonly Sample[]): Accepted =>
  decide([{ ...item, result: { ...item.result, latency_ms: null } }], stored)[0] ?? item;
const slow = [1, 2, 3, 4, 5].map(index => sample(at - index * 1000, 500));

test('a slow window turns ok into warn, in status and assertions', t => {
  const { result } = decideOne(accepted(at), slow);
  const outcome = { index: 0, type: 'latency_p95', passed: false, actual: '500 ms' } as const;
  t.is(result.status, 'warn');
  t.like(result.assertions[0], outcome);
});

test('a fast window leaves ok and warn as they are', t => {
  const fast = slow.map(({ scheduled_at }) => sample(scheduled_at, 50));
  for (const status of ['ok', 'warn'] as const) {
    const { result } = decideOne(accepted(at, { status }), fast);
    t.is(result.status, status);
    t.is(result.assertions[0]?.passed, true);
  }
});

test('a failed result and a version without the assertion are not touched', t => {
  const failure = accepted(at, { status: 'err', failure_source: 'target' });
  const without = accepted(at, {}, makeVersion());
  t.deepEqual(decide([failure, without], slow), [failure, without]);
});

for (const [title, offset, counts] of [
  ['at the instant of the result', 0, true],
  ['a millisecond after the result', 1, false],
  ['in the first millisecond of the window', -5 * minuteMs + 1, true],
  ['at the start of the window', -5 * minuteMs, false],
] as const) {
  test(`a sample ${title} ${counts ? 'counts' : 'does not count'}`, t => {
    const samples = [...slow.slice(0, 4), sample(at + offset, 500)];
    t.is(decideOne(accepted(at), samples).result.assertions[0]?.passed, counts ? false : null);
  });
}

test('each assertion has its own window, and outcomes are in order of index', t => {
  const version = makeVersion({ p95: [within(2, 60), within(0, 1)] });
  const other = { index: 1, type: 'status' as const, passed: true, expected: 'x', actual: '200' };
  const samples = slow.map(({ scheduled_at, latency_ms }) => sample(scheduled_at - 2 * minuteMs, latency_ms));
  const { result } = decideOne(accepted(at, { assertions: [other] }, version), samples);
  t.deepEqual(
    result.assertions.map(({ index, passed }) => [index, passed]),
    [
      [0, null],
      [1, true],
      [2, false],
    ],
  );
  t.is(result.status, 'warn');
});

test('one query covers the windows of all results of a monitor', t => {
  const hour = makeVersion({ p95: [within(0, 5), within(1, 60)] });
  t.deepEqual(rangeOf([accepted(at), accepted(at + 9, {}, hour), accepted(at - 9)]), {
    afterMs: at + 9 - 60 * minuteMs,
    untilMs: at + 9,
  });
});

test('the good first checks of a batch are samples of its windows', t => {
  const batch = [
    accepted(at, { latency_ms: 1 }),
    accepted(at + 1, { latency_ms: 2, attempt: 2 }),
    accepted(at + 2, { latency_ms: null }),
    accepted(at + 3, { latency_ms: 3, kind: 'confirm' }),
    accepted(at + 4, { latency_ms: 4, status: 'err' }),
    accepted(at + 5, { latency_ms: 5, status: 'warn' }),
  ];
  const outcomes = decide(batch, [sample(at, 6), sample(at, 7)]).map(({ result }) => result.assertions[0]?.actual);
  t.deepEqual(outcomes, [null, null, null, null, undefined, '7 ms']);
});

test('a result can only turn from ok to warn', t => {
  const samples = fc.array(
    fc.record({ offset: fc.integer({ min: -10 * minuteMs, max: minuteMs }), latencyMs: fc.nat({ max: 1000 }) }),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(samples, fc.constantFrom('ok' as const, 'warn' as const, 'err' as const), (seen, status) => {
      const decided = decideOne(
        accepted(at, { status }),
        seen.map(({ offset, latencyMs }) => sample(at + offset, latencyMs)),
      );
      return decided.result.status === status || (status === 'ok' && decided.result.status === 'warn');
    }),
  );
  t.pass();
});
