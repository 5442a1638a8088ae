import test from 'ava';
import {
  acceptedAgeMs,
  faultIfTooLong,
  fitsSchedule,
  parseResult,
  refusalOf,
  slotMs,
} from '#control-plane/monitoring/checks/intake/accept.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { newId } from '#shared/ids.ts';
import { nextSlot, offsetMs } from '#shared/slots.ts';
import { makeNewResult, makeVersion } from '#test/support/monitor-state.ts';

const nowMs = 100 * dayMs;
const version = makeVersion({ timeoutMs: 10_000 });
const timed = (scheduled_at: number, started_at: number, completed_at: number) =>
  makeNewResult(0, { scheduled_at, started_at, completed_at });
const current = timed(nowMs - 1000, nowMs - 900, nowMs);
const limit = nowMs - acceptedAgeMs;
const ahead = nowMs + 5 * minuteMs;
const longest = 10_000 + minuteMs;

for (const [title, result, expected] of [
  ['just completed', current, null],
  ['that took no time', timed(nowMs, nowMs, nowMs), null],
  ['that ended before it started', timed(nowMs, nowMs, nowMs - 1), 'malformed'],
  ['that took its timeout and a minute', timed(nowMs, nowMs, nowMs + longest), null],
  ['that started five minutes before its slot', timed(nowMs, nowMs - 5 * minuteMs, nowMs - 5 * minuteMs), null],
  [
    'that started more than five minutes before its slot',
    timed(nowMs, nowMs - 5 * minuteMs - 1, nowMs - 5 * minuteMs),
    'malformed',
  ],
  ['29 days old', timed(limit, limit, limit), null],
  ['older than 29 days by its slot', timed(limit - 1, limit, limit), 'too_old'],
  ['ten minutes after its slot', timed(nowMs - slotMs, nowMs, nowMs), null],
  ['later after its slot', timed(nowMs - slotMs - 1, nowMs, nowMs), 'not_its_slot'],
  ['older than 29 days by its completion', timed(limit, limit - 2, limit - 1), 'too_old'],
  ['five minutes ahead', timed(ahead, ahead, ahead), null],
  ['more than five minutes ahead by its slot', timed(ahead + 1, ahead, ahead), 'in_future'],
  ['more than five minutes ahead by its start', timed(ahead, ahead + 1, ahead + 1), 'in_future'],
  ['more than five minutes ahead by its completion', timed(ahead, ahead, ahead + 1), 'in_future'],
] as const) {
  test(`a result ${title} is ${expected ?? 'accepted'}`, t => {
    t.is(refusalOf(result, 'a', version, nowMs), expected);
  });
}

test('a check that lasted longer than its timeout and a minute becomes a fault of the probe that ends by then', t => {
  const within = timed(nowMs, nowMs, nowMs + longest);
  t.is(faultIfTooLong(within, version, nowMs), within);
  const startedAt = nowMs - 2 * hourMs;
  const stretched = timed(startedAt, startedAt, nowMs);
  const fault = faultIfTooLong(stretched, version, nowMs);
  t.like(fault, {
    scheduled_at: startedAt,
    completed_at: startedAt + longest,
    status: 'err',
    error: { code: 'timeout' },
    failure_source: 'probe',
    latency_ms: null,
    status_code: null,
  });
  t.is(parseResult({ ...valid, ...fault, monitor_id: valid.monitor_id })?.status, 'err');
  t.is(refusalOf(fault, 'a', version, nowMs), null);
  const ahead = timed(nowMs, nowMs, nowMs + 5 * minuteMs + 1);
  t.is(refusalOf(faultIfTooLong(ahead, version, nowMs), 'a', version, nowMs), 'in_future');
  const late = timed(nowMs - 20 * minuteMs, nowMs - 5 * minuteMs, nowMs);
  t.is(refusalOf(faultIfTooLong(late, version, nowMs), 'a', version, nowMs), 'not_its_slot');
});

test('an unknown version or a region outside the version is refused before the times are checked', t => {
  const old = timed(0, 0, -1);
  t.is(refusalOf(old, 'a', undefined, nowMs), 'unknown_monitor');
  t.is(refusalOf(old, 'z', version, nowMs), 'not_its_region');
  t.is(refusalOf(current, 'z', version, nowMs), 'not_its_region');
  t.is(refusalOf(current, 'A', version, nowMs), 'not_its_region', 'codes are compared exactly');
});

const valid = { ...current, monitor_id: newId('mon') };

test('what follows the wire’s schema is parsed, without fields that it does not name', t => {
  const { region: _, agentId: __, receivedAt: ___, bin: ____, ...wire } = valid;
  t.deepEqual(parseResult(valid), wire);
});

for (const [title, value] of [
  ['null', null],
  ['a text', 'result'],
  ['a list', [valid]],
  ['an empty object', {}],
  ['an unknown status', { ...valid, status: 'fine' }],
  ['a third attempt', { ...valid, attempt: 3 }],
  ['a negative version, which stands for a deletion', { ...valid, config_version: -1 }],
  ['an id that is none of ours', { ...valid, monitor_id: 'mon_\u0000' }],
  ['a fraction of a millisecond', { ...valid, scheduled_at: 0.5 }],
  ['an instant that no date has', { ...valid, completed_at: 8_640_000_000_000_001 }],
  ['a latency longer than a day', { ...valid, latency_ms: dayMs + 1 }],
  ['a latency that is not a number', { ...valid, latency_ms: Number.NaN }],
] as const) {
  test(`${title} is malformed`, t => {
    t.is(parseResult(value), null);
  });
}

const createdAt = nowMs - 10 * minuteMs - 123;
const made = makeVersion({ atMs: createdAt });
const slotAfter = (ms: number, region = 'b') =>
  nextSlot(ms, made.intervalMs, offsetMs('mon_1', made.intervalMs, region, made.regions));
const slot = slotAfter(nowMs - minuteMs);

for (const [title, scheduledAt, startedAt, kind, fits] of [
  ['in a slot of its region', slot, slot + 20, 'scheduled', true],
  ['a millisecond after a slot', slot + 1, slot + 20, 'scheduled', false],
  ['in a slot of another region', slotAfter(nowMs - minuteMs, 'a'), nowMs, 'scheduled', false],
  ['at the instant of the version', createdAt, createdAt + 9, 'scheduled', true],
  ['in the last slot before the version', slotAfter(createdAt) - made.intervalMs, nowMs, 'scheduled', true],
  ['two slots before the version', slotAfter(createdAt) - 2 * made.intervalMs, nowMs, 'scheduled', false],
  ['asked for and started at once', nowMs, nowMs, 'confirm', true],
  ['asked for while both attempts of a check ran', nowMs, nowMs + minuteMs + 2000, 'confirm', true],
  ['asked for long before it started', nowMs, nowMs + minuteMs + 2001, 'confirm', false],
] as const) {
  test(`a ${kind} check ${title} ${fits ? 'fits' : 'does not fit'} the schedule`, t => {
    const result = makeNewResult(0, {
      scheduled_at: scheduledAt,
      started_at: startedAt,
      completed_at: startedAt,
      kind,
    });
    t.is(fitsSchedule(result, 'b', made), fits);
  });
}
