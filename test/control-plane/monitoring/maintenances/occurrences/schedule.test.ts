import test from 'ava';
import fc from 'fast-check';
import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { parseRule, RuleError } from '#control-plane/monitoring/maintenances/occurrences/rrule.ts';
import {
  givesStart,
  occurrencesOf,
  overlapsItself,
  type Schedule,
} from '#control-plane/monitoring/maintenances/occurrences/schedule.ts';
import { dayMs } from '#shared/duration.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const scheduleOf = (rrule: string, fields: Partial<Schedule> = {}): Schedule => ({
  start: '2026-10-04T02:30:00',
  timezone: 'Europe/Berlin',
  duration_seconds: 3600,
  rrule,
  exclude: [],
  ...fields,
});
const startsOf = (schedule: Schedule, limit = 20) =>
  occurrencesOf(schedule, 0, Number.MAX_SAFE_INTEGER, limit).map(({ startsAt }) => new Date(startsAt).toISOString());

test('weekly at 02:30 goes over both clock changes as RFC 5545 §3.3.5 says', t => {
  t.deepEqual(startsOf(scheduleOf('FREQ=WEEKLY'), 5), [
    '2026-10-04T00:30:00.000Z',
    '2026-10-11T00:30:00.000Z',
    '2026-10-18T00:30:00.000Z',
    '2026-10-25T00:30:00.000Z', // twice: the first
    '2026-11-01T01:30:00.000Z',
  ]);
  t.deepEqual(startsOf(scheduleOf('FREQ=WEEKLY', { start: '2027-03-21T02:30:00' }), 3), [
    '2027-03-21T01:30:00.000Z',
    '2027-03-28T01:30:00.000Z', // does not exist: 03:30
    '2027-04-04T00:30:00.000Z',
  ]);
  const timezone = 'America/New_York';
  t.deepEqual(startsOf(scheduleOf('FREQ=WEEKLY', { start: '2026-10-25T01:30:00', timezone }), 3), [
    '2026-10-25T05:30:00.000Z',
    '2026-11-01T05:30:00.000Z', // twice: the first
    '2026-11-08T06:30:00.000Z',
  ]);
  t.deepEqual(startsOf(scheduleOf('FREQ=WEEKLY', { start: '2027-03-07T02:30:00', timezone }), 3), [
    '2027-03-07T07:30:00.000Z',
    '2027-03-14T07:30:00.000Z', // does not exist: 03:30
    '2027-03-21T06:30:00.000Z',
  ]);
});

test('a window that began very long ago goes on', t => {
  const [from, to] = [Date.UTC(2031, 4, 1), Date.UTC(2031, 4, 16)];
  for (const rrule of ['FREQ=WEEKLY', 'FREQ=DAILY;BYDAY=SA', 'FREQ=WEEKLY;UNTIL=20991231T000000Z'])
    t.deepEqual(
      occurrencesOf(scheduleOf(rrule, { start: '2000-01-01T02:30:00' }), from, to, 20).map(({ date }) => date),
      ['2031-05-03', '2031-05-10'],
      rrule,
    );
  const counted = scheduleOf('FREQ=YEARLY;COUNT=40', { start: '2000-01-01T02:30:00' });
  t.is(occurrencesOf(counted, Date.UTC(2035, 0, 1), Date.UTC(2099, 0, 1), 20).length, 5);
});

const zones = ['Europe/Berlin', 'America/New_York', 'UTC', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const some = <Value>(values: fc.Arbitrary<Value>, maxLength = 3) =>
  fc.option(fc.uniqueArray(values, { minLength: 1, maxLength }), { nil: undefined });
const months = some(fc.integer({ min: 1, max: 12 }));
const monthDays = some(fc.oneof(fc.integer({ min: 1, max: 31 }), fc.integer({ min: -31, max: -1 })));
const plain = some(fc.constantFrom(...weekdays), 5);
// The library drops weekdays without a number beside numbered ones: they come apart.
const withNumbers = some(
  fc.tuple(fc.constantFrom('1', '2', '-1', '5'), fc.constantFrom(...weekdays)).map(([n, day]) => n + day),
);
const numbered = fc.oneof(withNumbers, plain);
const rules = fc
  .record({
    FREQ: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    INTERVAL: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    BYMONTH: months,
    BYMONTHDAY: monthDays,
    plain,
    numbered,
    BYSETPOS: some(fc.constantFrom(1, 2, -1, -2)),
    WKST: fc.option(fc.constantFrom('MO', 'SU', 'WE'), { nil: undefined }),
    COUNT: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
    UNTIL: fc.option(fc.constantFrom('20270328T013000Z', '20280101T000000Z'), { nil: undefined }),
  })
  .map(({ plain, numbered, ...parts }) => {
    const { FREQ } = parts;
    const BYDAY = FREQ === 'MONTHLY' || FREQ === 'YEARLY' ? numbered : plain;
    if (FREQ === 'WEEKLY') parts.BYMONTHDAY = undefined;
    // Where both are given, what ordinals count within is not said plainly.
    if (BYDAY?.some(day => day.length > 2)) parts.BYMONTHDAY = undefined;
    if (FREQ !== 'MONTHLY' || (BYDAY ?? parts.BYMONTHDAY) === undefined) parts.BYSETPOS = undefined;
    if (parts.COUNT !== undefined) parts.UNTIL = undefined;
    return Object.entries({ ...parts, BYDAY })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${value}`)
      .join(';');
  });

test('occurrences are those of an independent library', t => {
  const starts = fc.integer({ min: 0, max: 800 }).map(days => new Date(1_780_000_000_000 + days * dayMs).toISOString());
  const times = fc.constantFrom('02:30:00', '00:00:00', '01:45:30', '23:59:59');
  const property = fc.property(rules, starts, times, fc.constantFrom(...zones), (rrule, day, time, timezone) => {
    // A date that the rule gives: any other start is refused.
    const uncounted = scheduleOf(rrule.replace(/;(COUNT|UNTIL)=\w+/, ''), { start: `${day.slice(0, 10)}T${time}` });
    const [first] = occurrencesOf(uncounted, 0, Number.MAX_SAFE_INTEGER, 1);
    if (first === undefined) return;
    const start = `${first.date}T${time}`;
    const dtstart = Temporal.PlainDateTime.from(start).toZonedDateTime(timezone);
    const oracle = new RRuleTemporal({ rruleString: rrule, dtstart, temporal: Temporal });
    const end = dtstart.add({ years: 3 });
    const expected = oracle
      .between(new Date(dtstart.epochMilliseconds), new Date(end.epochMilliseconds - 1), true)
      .map(at => at.epochMilliseconds);
    const schedule = scheduleOf(rrule, { start, timezone });
    const found = occurrencesOf(schedule, dtstart.epochMilliseconds, end.epochMilliseconds, 2000);
    // The library leaves such a day out of some rules; tests of their own hold what RFC 5545 §3.3.5 says of it.
    if (found.some(({ startsAt }) => !startsThen(startsAt, time, timezone))) return;
    t.deepEqual(
      found.map(({ startsAt }) => startsAt),
      expected,
      `${rrule} from ${start} in ${timezone}`,
    );
  });
  fc.assert(property, { numRuns: 300 });
});

test('where the range begins changes nothing about what lies in it', t => {
  const property = fc.property(rules, fc.integer({ min: 0, max: 900 }), (rrule, days) => {
    const schedule = scheduleOf(rrule);
    const from = Date.parse('2026-10-01T00:00:00Z') + days * dayMs;
    const all = occurrencesOf(schedule, 0, from + 90 * dayMs, 5000);
    const part = occurrencesOf(schedule, from, from + 90 * dayMs, 5000);
    t.deepEqual(
      part,
      all.filter(({ endsAt }) => endsAt > from),
      rrule,
    );
  });
  fc.assert(property, { numRuns: 300 });
});

test('excluded dates are left out and count', t => {
  const schedule = scheduleOf('FREQ=DAILY;COUNT=3', { exclude: ['2026-10-05'] });
  t.deepEqual(startsOf(schedule), ['2026-10-04T00:30:00.000Z', '2026-10-06T00:30:00.000Z']);
});

test('a start that the rule does not give is found out', t => {
  t.true(givesStart(scheduleOf('FREQ=WEEKLY;BYDAY=SU')));
  t.false(givesStart(scheduleOf('FREQ=WEEKLY;BYDAY=MO')));
  t.false(givesStart(scheduleOf('FREQ=MONTHLY;BYDAY=SU;BYSETPOS=-1')));
  t.false(givesStart(scheduleOf('FREQ=DAILY;UNTIL=20261004T002959Z')));
  t.true(givesStart(scheduleOf('FREQ=DAILY;UNTIL=20261004T003000Z')));
});

test('a window that lasts into its next one is found out, also where only a clock change makes it so', t => {
  t.true(overlapsItself(scheduleOf('FREQ=DAILY', { duration_seconds: 24 * 3600 + 1 })));
  t.true(overlapsItself(scheduleOf('FREQ=DAILY', { duration_seconds: 24 * 3600 })), 'a day of 23 hours');
  t.false(overlapsItself(scheduleOf('FREQ=DAILY', { duration_seconds: 24 * 3600, timezone: 'UTC' })));
  t.false(overlapsItself(scheduleOf('FREQ=DAILY', { duration_seconds: 23 * 3600 })));
  t.false(overlapsItself(scheduleOf('FREQ=DAILY;COUNT=1', { duration_seconds: 7 * 86_400 })));
  const exclude = ['2026-10-05'];
  t.false(overlapsItself(scheduleOf('FREQ=DAILY;COUNT=3', { duration_seconds: 30 * 3600, exclude })));
});

test('rules that are wrong say what is wrong, and no rule costs much', async t => {
  for (const [rule, says] of [
    ['FREQ=HOURLY', /needs FREQ/],
    ['FREQ=DAILY;FREQ=DAILY', /twice/],
    ['FREQ=DAILY;BYHOUR=1', /may have only/],
    ['FREQ=DAILY;INTERVAL=367', /INTERVAL/],
    ['FREQ=DAILY;COUNT=1001', /COUNT/],
    ['FREQ=DAILY;COUNT=1;UNTIL=20270101T000000Z', /only one/],
    ['FREQ=DAILY;UNTIL=20270101', /in UTC/],
    ['FREQ=DAILY;UNTIL=20270230T000000Z', /in UTC/],
    ['FREQ=WEEKLY;BYDAY=1MO', /number/],
    ['FREQ=WEEKLY;BYMONTHDAY=1', /BYMONTHDAY/],
    ['FREQ=MONTHLY;BYMONTHDAY=0', /BYMONTHDAY/],
    ['FREQ=MONTHLY;BYSETPOS=1', /needs BYDAY/],
    ['FREQ=YEARLY;BYDAY=MO;BYSETPOS=1', /MONTHLY/],
    ['freq=DAILY', /may have only/],
    ['', /NAME=VALUE/],
  ] as const)
    t.throws(() => parseRule(rule), { instanceOf: RuleError, message: says }, rule);
  const rare = scheduleOf('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;INTERVAL=1', { start: '2028-02-29T02:30:00' });
  const ms = await leastThreadMs(4000, () => {
    for (let run = 0; run < 10; run++) occurrencesOf(rare, 0, Number.MAX_SAFE_INTEGER, 20);
    for (let run = 0; run < 10; run++) overlapsItself(scheduleOf('FREQ=DAILY', { duration_seconds: 23 * 3600 }));
  });
  t.true(ms < 4000, `${ms} ms`);
});

/** False where the clock skips the time, so that the occurrence starts at another. */
function startsThen(atMs: number, time: string, timezone: string): boolean {
  const at = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(timezone);
  return at.toPlainTime().toString() === time;
}
