import test from 'ava';
import fc from 'fast-check';
import {
  calendarOf,
  datesShown,
  shareOfDay,
  stepDate,
  titleOf,
} from '#control-plane/web/dashboard/app/features/maintenances/calendar-grid.ts';
import { isFull } from '#test/support/full.ts';

const dates = fc
  .date({ min: new Date('2024-01-01'), max: new Date('2032-12-31'), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10));

const numRuns = isFull ? 1000 : 60;

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

test('a calendar shows whole weeks, and a window on each day on which it lasts', t => {
  t.deepEqual(
    [datesShown('month', '2026-12-15')[0], datesShown('month', '2026-12-15').at(-1)],
    ['2026-11-30', '2027-01-03'],
  );
  t.deepEqual(datesShown('week', '2026-12-15'), datesShown('week', '2026-12-20'));
  t.is(datesShown('month', '2027-02-01').length, 28);
  t.is(stepDate('month', '2026-01-31', 1), '2026-02-01');
  t.is(stepDate('month', '2026-12-31', 1), '2027-01-01');
  t.is(stepDate('week', '2026-12-31', -1), '2026-12-24');
  t.is(titleOf('month', '2026-12-15'), 'December 2026');
  t.is(titleOf('week', '2026-12-15'), '14–20 December 2026');
  t.is(titleOf('week', '2026-12-31'), '28 Dec–3 Jan 2027');
  const entries = [
    { id: 'b', starts_at: '2026-12-15T23:30:00Z', ends_at: '2026-12-17T00:00:00Z' },
    { id: 'a', starts_at: '2026-12-15T01:00:00Z', ends_at: '2026-12-15T02:00:00Z' },
  ];
  const days = calendarOf('month', '2026-12-15', entries, 'UTC');
  const shown = (date: string) => days.find(day => day.date === date)?.entries.map(({ id }) => id);
  t.deepEqual([shown('2026-12-15'), shown('2026-12-16'), shown('2026-12-17')], [['a', 'b'], ['b'], []]);
  t.true(days[0]?.isOutside);
  t.deepEqual(
    calendarOf('week', '2026-12-15', entries, 'Asia/Kathmandu')[2]?.entries.map(({ id }) => id),
    ['b'],
  );
  t.deepEqual(shareOfDay(entries[0] ?? { id: '', starts_at: '', ends_at: '' }, '2026-12-16', 'UTC'), {
    from: 0,
    until: 1,
  });
  t.deepEqual(
    shareOfDay({ id: 'c', starts_at: '2026-12-16T06:00:00Z', ends_at: '2026-12-16T12:00:00Z' }, '2026-12-16', 'UTC'),
    {
      from: 0.25,
      until: 0.5,
    },
  );
});
