import test from 'ava';
import fc from 'fast-check';
import { instantOf, localOf, zoneNames } from '#control-plane/web/dashboard/app/data/drafts/zoned-time.ts';
import {
  calendarOf,
  datesShown,
  shareOfDay,
  stepDate,
  titleOf,
} from '#control-plane/web/dashboard/app/data/plots/calendar.ts';
import { formatLength, formatSpan } from '#control-plane/web/dashboard/app/data/plots/span.ts';
import { formatAgo, formatDuration, formatLongDuration } from '#control-plane/web/dashboard/app/data/time.ts';
import { isFull } from '#test/support/full.ts';
import { nowMs } from '../samples.ts';

const numRuns = isFull ? 1000 : 60;
const secondsOf: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 };
/** The seconds of a duration as it is written. */
const read = (text: string) =>
  [...text.matchAll(/(\d+) (s|min|h|d)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (secondsOf[unit ?? ''] ?? Number.NaN),
    0,
  );
const dates = fc
  .date({ min: new Date('2024-01-01'), max: new Date('2032-12-31'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10));

test('a duration is never longer than it was, and loses less than its smallest unit', t => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 * 86_400_000 }), ms => {
      const [short, long] = [read(formatDuration(ms)), read(formatLongDuration(ms))];
      t.true(short * 1000 <= ms && short <= long && long * 1000 <= ms);
      // One unit loses at most half of it, two lose little.
      t.true(ms < 2000 || short * 2000 > ms);
      t.true(ms < 86_400_000 || ms - long * 1000 < 3_600_000);
    }),
    { numRuns },
  );
});

test('durations at the edges of their units', t => {
  const rows: readonly (readonly [ms: number, short: string, long: string])[] = [
    [-5, '0 s', '0 s'],
    [0, '0 s', '0 s'],
    [999, '0 s', '0 s'],
    [1000, '1 s', '1 s'],
    [59_999, '59 s', '59 s'],
    [60_000, '1 min', '1 min'],
    [61_000, '1 min', '1 min 1 s'],
    [3_599_999, '59 min', '59 min 59 s'],
    [3_600_000, '1 h', '1 h'],
    [3_659_000, '1 h', '1 h'],
    [4_320_000, '1 h', '1 h 12 min'],
    [86_399_999, '23 h', '23 h 59 min'],
    [86_400_000, '1 d', '1 d'],
    [93_600_000, '1 d', '1 d 2 h'],
    [400 * 86_400_000, '400 d', '400 d'],
  ];
  for (const [ms, short, long] of rows) t.deepEqual([formatDuration(ms), formatLongDuration(ms)], [short, long]);
});

test('an age and its opposite are as long', t => {
  fc.assert(
    fc.property(fc.integer({ min: 1500, max: 1e9 }), ms => {
      const at = (offset: number) => new Date(nowMs + offset).toISOString();
      t.is(formatAgo(at(-ms), nowMs), `${formatDuration(ms)} ago`);
      if (ms > 1500) t.is(formatAgo(at(ms), nowMs), `in ${formatDuration(ms)}`);
    }),
    { numRuns },
  );
});

test('a local time leads back to itself in every zone, but where a clock change skips it', t => {
  const zones = zoneNames();
  t.is(zones[0], 'UTC');
  t.is(new Set(zones).size, zones.length);
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer({ min: 1.7e12, max: 1.95e12 }), (zone, ms) => {
      const minute = Math.floor(ms / 60_000) * 60_000;
      const again = instantOf(localOf(minute, zone), zone) ?? Number.NaN;
      // An hour that exists twice is read as its first one.
      t.true(again === minute || (again < minute && minute - again <= 86_400_000), `${zone} ${minute}`);
      t.is(localOf(again, zone), localOf(minute, zone));
    }),
    { numRuns },
  );
  for (const text of ['', 'tomorrow', '2026-13-01T00:00', '2026-12-01T25:00']) t.is(instantOf(text, 'UTC'), null);
  t.is(instantOf('2026-12-01T02:00', 'Mars/Olympus'), null);
  t.is(localOf(nowMs, 'Mars/Olympus'), '');
});

test('a span says its dates once if it ends on the day on which it begins', t => {
  const rows: readonly (readonly [from: string, to: string, text: string, length: string])[] = [
    ['2026-12-01T02:00:00Z', '2026-12-01T03:30:00Z', 'Tue 2026-12-01 02:00–03:30 UTC', '1 h 30 min'],
    ['2026-12-01T22:00:00Z', '2026-12-02T00:00:00Z', 'Tue 2026-12-01 22:00 – Wed 2026-12-02 00:00 UTC', '2 h'],
    ['2026-12-31T23:00:00Z', '2027-01-01T01:00:00Z', 'Thu 2026-12-31 23:00 – Fri 2027-01-01 01:00 UTC', '2 h'],
    ['2028-02-28T00:00:00Z', '2028-02-29T00:00:00Z', 'Mon 2028-02-28 00:00 – Tue 2028-02-29 00:00 UTC', '1 d'],
  ];
  for (const [from, to, text, length] of rows) {
    t.is(formatSpan(from, to, 'utc'), text);
    t.is(formatLength(from, to), length);
  }
});

test('a calendar shows whole weeks around its date, whatever the date', t => {
  fc.assert(
    fc.property(dates, fc.constantFrom('month' as const, 'week' as const), (date, kind) => {
      const shown = datesShown(kind, date);
      t.true(shown.includes(date));
      t.is(shown.length % 7, 0);
      t.is(new Date(`${shown[0]}T00:00:00Z`).getUTCDay(), 1);
      t.true(kind === 'week' ? shown.length === 7 : shown.length >= 28 && shown.length <= 42);
      t.deepEqual([...shown].sort(), shown);
      t.is(new Set(shown).size, shown.length);
      // Forth and back is where it was.
      const back = stepDate(kind, stepDate(kind, date, 1), -1);
      t.is(back, kind === 'week' ? date : `${date.slice(0, 7)}-01`);
      t.true(titleOf(kind, date).length > 5);
    }),
    { numRuns },
  );
});

test('the title of a calendar names what it shows', t => {
  const rows = [
    ['month', '2026-12-24', 'December 2026'],
    ['week', '2026-12-09', '7–13 December 2026'],
    ['week', '2026-12-31', '28 Dec–3 Jan 2027'],
    ['week', '2026-03-01', '23 Feb–1 Mar 2026'],
  ] as const;
  for (const [kind, date, title] of rows) t.is(titleOf(kind, date), title);
});

test('a window stands on every day on which it lasts, with its part of each', t => {
  const entry = { id: 'a', starts_at: '2026-12-01T18:00:00Z', ends_at: '2026-12-03T00:00:00Z' };
  const days = calendarOf('week', '2026-12-02', [entry], 'UTC').filter(({ entries }) => entries.length > 0);
  t.deepEqual(
    days.map(({ date }) => [date, shareOfDay(entry, date, 'UTC')]),
    [
      ['2026-12-01', { from: 0.75, until: 1 }],
      ['2026-12-02', { from: 0, until: 1 }],
    ],
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 6 * 86_400 }), fc.integer({ min: 60, max: 86_400 }), (from, length) => {
      const startMs = Date.parse('2026-12-07T00:00:00Z') + from * 1000;
      const [starts_at, ends_at] = [startMs, startMs + length * 1000].map(ms => new Date(ms).toISOString());
      const planned = { id: 'a', starts_at: starts_at ?? '', ends_at: ends_at ?? '' };
      const shares = calendarOf('month', '2026-12-09', [planned], 'UTC')
        .filter(({ entries }) => entries.length > 0)
        .map(({ date }) => shareOfDay(planned, date, 'UTC'));
      const sum = shares.reduce((total, { from, until }) => total + until - from, 0);
      // By the minute: what is shown together is as long as the window.
      t.true(Math.abs(sum * 1440 - length / 60) <= 2, `${sum * 1440} ${length / 60}`);
    }),
    { numRuns },
  );
});
