import test from 'ava';
import { Cron } from 'croner';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { parseCron } from '#control-plane/monitoring/monitors/heartbeats/cron.ts';
import { nextCronTime } from '#control-plane/monitoring/monitors/heartbeats/cron-times.ts';
import { minuteMs } from '#shared/duration.ts';

const at = (text: string) => Date.parse(text);

/** Times of an expression after an instant, with where signals count from if that is earlier. */
function times(text: string, timezone: string, after: string, count: number): string[] {
  const cron = parseCron(text);
  const found: string[] = [];
  for (let ms = at(after); cron !== null && found.length < count; ) {
    const time = nextCronTime(cron, timezone, ms);
    if (time === null) break;
    ms = time.at;
    const short = (instant: number) => new Date(instant).toISOString().slice(0, 16);
    found.push(time.from === time.at ? short(time.at) : `${short(time.at)} from ${short(time.from)}`);
  }
  return found;
}

for (const text of ['', '* * * *', '* * * * * *', '@daily', '0 0 L * *', '0 0 ? * *', '0 0 * * 1#2', '60 * * * *'])
  test(`${JSON.stringify(text)} is no expression`, t => t.is(parseCron(text), null));
for (const text of ['5/15 * * * *', '*/0 * * * *', '9-3 * * * *', '0 24 * * *', '0 0 0 * *', '0 0 * 13 *', '0 0 * * 8'])
  test(`${JSON.stringify(text)} is out of range or means something else to each daemon`, t =>
    t.is(parseCron(text), null));

test('names, lists, ranges, steps and both Sundays', t => {
  t.deepEqual(times('*/20 9-10 * Jan,feb MON-fri', 'UTC', '2027-01-01T10:30:00Z', 3), [
    '2027-01-01T10:40',
    '2027-01-04T09:00',
    '2027-01-04T09:20',
  ]);
  t.deepEqual(
    times('0 0 * * 7', 'UTC', '2027-01-01T00:00:00Z', 1),
    times('0 0 * * sun', 'UTC', '2027-01-01T00:00:00Z', 1),
  );
});

test('of a day of the month and one of the week either is enough, unless one begins with a star', t => {
  t.deepEqual(times('0 0 13 * fri', 'UTC', '2027-01-07T12:00:00Z', 3), [
    '2027-01-08T00:00',
    '2027-01-13T00:00',
    '2027-01-15T00:00',
  ]);
  t.deepEqual(times('0 0 13 * *', 'UTC', '2027-01-07T12:00:00Z', 1), ['2027-01-13T00:00']);
});

test('a time that never comes within 366 days is none', t => {
  t.deepEqual(times('0 0 30 2 *', 'UTC', '2027-01-01T00:00:00Z', 1), []);
  t.deepEqual(times('0 0 29 2 *', 'UTC', '2025-01-01T00:00:00Z', 1), []);
});

test('a time in the gap of spring is expected later by the gap, and counts from its end on', t => {
  t.deepEqual(times('30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00:00Z', 2), [
    '2027-03-28T01:30 from 2027-03-28T01:00',
    '2027-03-29T00:30',
  ]);
  t.deepEqual(times('*/30 * * * *', 'Europe/Berlin', '2027-03-28T00:10:00Z', 3), [
    '2027-03-28T00:30',
    '2027-03-28T01:00',
    '2027-03-28T01:30 from 2027-03-28T01:00',
  ]);
  t.deepEqual(times('30 2 * * *', 'America/New_York', '2027-03-14T00:00:00Z', 1), [
    '2027-03-14T07:30 from 2027-03-14T07:00',
  ]);
  // Half an hour, on an island.
  t.deepEqual(times('15 2 * * *', 'Australia/Lord_Howe', '2027-10-02T12:00:00Z', 1), [
    '2027-10-02T15:45 from 2027-10-02T15:30',
  ]);
});

test('a time that comes twice in autumn is expected the first time only, unless the hours are a star or a step', t => {
  t.deepEqual(times('30 2 * * *', 'Europe/Berlin', '2027-10-30T12:00:00Z', 2), [
    '2027-10-31T00:30',
    '2027-11-01T01:30',
  ]);
  t.deepEqual(times('30 * * * *', 'Europe/Berlin', '2027-10-31T00:00:00Z', 3), [
    '2027-10-31T00:30',
    '2027-10-31T01:30',
    '2027-10-31T02:30',
  ]);
  t.deepEqual(times('30 1-3 * * *', 'Europe/Berlin', '2027-10-30T22:00:00Z', 3), [
    '2027-10-30T23:30',
    '2027-10-31T00:30',
    '2027-10-31T02:30',
  ]);
});

const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
const part = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    number(min, max),
    fc.array(number(min, max), { minLength: 1, maxLength: 3 }).map(list => list.join(',')),
    fc.integer({ min: 2, max: 9 }).map(step => `*/${step}`),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
  );
const expression = fc
  .tuple(
    part(0, 59),
    part(0, 23),
    fc.oneof(fc.constant('*'), part(1, 28)),
    fc.constant('*'),
    fc.oneof(fc.constant('*'), part(0, 6)),
  )
  .map(parts => parts.join(' '));
const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu');

test('each time is after the one before and matches the wall clock; none in between is left out', t => {
  const property = fc.property(
    expression,
    zone,
    fc.integer({ min: 0, max: 366 * 24 * 60 }),
    (text, timezone, offset) => {
      const cron = parseCron(text);
      if (cron === null) return false;
      const after = at('2027-01-01T00:00:00Z') + offset * minuteMs;
      const next = nextCronTime(cron, timezone, after);
      if (next === null || next.at <= after || next.from > next.at) return next === null;
      const matches = (ms: number) => {
        const wall = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
        const [day, week] = [cron.days.has(wall.day), cron.weekdays.has(wall.dayOfWeek % 7)];
        const isDay = cron.eitherDay ? day || week : day && week;
        return isDay && cron.hours.has(wall.hour) && cron.minutes.has(wall.minute) ? wall : null;
      };
      if (next.from === next.at && matches(next.at) === null) return false;
      for (let ms = after + minuteMs, steps = 0; ms < next.at && steps < 1500; ms += minuteMs, steps++) {
        const wall = matches(ms);
        // The second of two equal wall times is left out.
        const first = wall
          ?.toPlainDateTime()
          .toZonedDateTime(timezone, { disambiguation: 'earlier' }).epochMilliseconds;
        if (wall !== null && (first === ms || cron.everyHour)) return false;
      }
      return true;
    },
  );
  fc.assert(property, { numRuns: 150 });
  t.pass();
});

test('croner gives the same times on days without a change of clocks', t => {
  // Of days with a step and of weekdays croner takes either, where cron daemons take both.
  const days = fc.oneof(fc.constant('*'), number(1, 28));
  const weekdays = fc.oneof(fc.constant('*'), number(0, 6), fc.constant('1-5'));
  const texts = fc.tuple(part(0, 59), part(0, 23), days, fc.constant('*'), weekdays).map(parts => parts.join(' '));
  const june = fc.integer({ min: 0, max: 30 * 24 * 60 }).map(offset => at('2027-06-01T00:00:00Z') + offset * minuteMs);
  const property = fc.property(texts, zone, june, (text, timezone, after) => {
    const theirs = new Cron(text, { timezone, paused: true }).nextRuns(5, new Date(after));
    const ours = times(text, timezone, new Date(after).toISOString(), 5);
    t.deepEqual(
      ours,
      theirs.map(time => time.toISOString().slice(0, 16)),
      `${text} ${timezone}`,
    );
  });
  fc.assert(property, { numRuns: 100 });
});
