import test from 'ava';
import fc from 'fast-check';
import { addActive, type QuietHours, quietEnd, weekdays } from '#control-plane/on-call/routing/quiet-hours.ts';
import { minuteMs } from '#shared/duration.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const zones = ['Europe/Berlin', 'America/New_York', 'UTC', 'Australia/Lord_Howe', 'America/Santiago'];
const night: QuietHours = { timezone: 'Europe/Berlin', days: [...weekdays], from: '22:00', to: '07:00' };
const berlin = (text: string) => Date.parse(text);

test('a night ends at the morning’s wall clock, on days of 23 and 25 hours too', t => {
  // Clocks go back on 25 October 2026 and forward on 29 March 2026.
  t.is(quietEnd(night, berlin('2026-10-24T22:00:00+02:00')), berlin('2026-10-25T07:00:00+01:00'));
  t.is(quietEnd(night, berlin('2026-03-29T06:59:59+02:00')), berlin('2026-03-29T07:00:00+02:00'));
  t.is(quietEnd(night, berlin('2026-03-29T07:00:00+02:00')), null);
  t.is(addActive(night, berlin('2026-03-28T21:50:00+01:00'), 20 * minuteMs), berlin('2026-03-29T07:10:00+02:00'));
  t.is(addActive(night, berlin('2026-10-24T23:00:00+02:00'), 0), berlin('2026-10-25T07:00:00+01:00'));
});

test('an edge that the clock skips is at the gap, and what it repeats is quiet twice', t => {
  const until = (quiet: Partial<QuietHours>, at: string) => quietEnd({ ...night, ...quiet }, berlin(at));
  const gap = berlin('2026-03-29T03:00:00+02:00');
  t.is(until({ to: '02:30' }, '2026-03-28T23:00:00+01:00'), gap, 'its end is skipped');
  t.is(until({ to: '02:30' }, '2026-03-29T03:10:00+02:00'), null);
  t.is(until({ from: '02:30' }, '2026-03-29T03:00:00+02:00'), berlin('2026-03-29T07:00:00+02:00'));
  t.is(until({ from: '02:15', to: '02:45' }, '2026-03-29T03:20:00+02:00'), null, 'all of it is skipped');
  const quarter = { from: '02:15', to: '02:30' };
  t.is(until(quarter, '2026-10-25T02:20:00+02:00'), berlin('2026-10-25T02:30:00+02:00'));
  t.is(until(quarter, '2026-10-25T02:40:00+02:00'), null);
  t.is(until(quarter, '2026-10-25T02:20:00+01:00'), berlin('2026-10-25T02:30:00+01:00'));
  t.is(until({ to: '02:30' }, '2026-10-25T02:40:00+02:00'), null);
  t.is(until({ to: '02:30' }, '2026-10-25T02:20:00+01:00'), berlin('2026-10-25T02:30:00+01:00'));
  t.is(until({ from: '02:30' }, '2026-10-25T02:45:00+02:00'), berlin('2026-10-25T03:00:00+02:00'));
});

test('a span belongs to the day it began, equal times are the whole day, and spans that touch are one', t => {
  const fridays: QuietHours = { ...night, days: ['fr'] };
  t.not(quietEnd(fridays, berlin('2026-11-21T03:00:00+01:00')), null, 'Saturday at three is Friday night');
  t.is(quietEnd(fridays, berlin('2026-11-22T03:00:00+01:00')), null);
  const weekend: QuietHours = { ...night, days: ['sa', 'su'], from: '00:00', to: '00:00' };
  t.is(quietEnd(weekend, berlin('2026-11-21T12:00:00+01:00')), berlin('2026-11-23T00:00:00+01:00'));
  t.is(quietEnd(null, 0), null);
  t.is(addActive(null, 5, 7), 12);
});

/** An evaluator of its own: what the wall clock shows, minute by minute. */
function isQuiet({ timezone, days, from, to }: QuietHours, atMs: number): boolean {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(atMs);
  const of = (type: string) => parts.find(part => part.type === type)?.value ?? '';
  const names: readonly string[] = weekdays;
  const day = names.indexOf(of('weekday').slice(0, 2).toLowerCase());
  const clock = `${of('hour')}:${of('minute')}`;
  const has = (index: number) => days.includes(weekdays[(index + 7) % 7] ?? 'mo');
  if (from < to) return has(day) && clock >= from && clock < to;
  return (has(day) && clock >= from) || (has(day - 1) && clock < to);
}

test('whether an hour is quiet is what the wall clock says, around both changes of the clock', t => {
  const daily = ['00:00', '04:00', '07:30', '12:00', '22:00', '23:00', '23:30'];
  const ofChanges = ['00:15', '01:00', '01:30', '01:45', '02:00', '02:15', '02:30', '02:45', '03:00'];
  const times = fc.constantFrom(...daily, ...ofChanges);
  const quiets = fc.record({
    timezone: fc.constantFrom(...zones),
    days: fc.subarray([...weekdays], { minLength: 1 }),
    from: times,
    to: times,
  });
  const around = [
    Date.UTC(2026, 2, 27),
    Date.UTC(2026, 9, 23),
    Date.UTC(2026, 3, 3),
    Date.UTC(2026, 9, 2),
    Date.UTC(2026, 10, 1),
    Date.UTC(2026, 8, 4),
  ];
  const minutes = fc.tuple(fc.constantFrom(...around), fc.integer({ min: 0, max: 5 * 288 }));
  fc.assert(
    fc.property(quiets, minutes, (quiet, [start, fives]) => {
      const at = start + fives * 5 * minuteMs;
      return (quietEnd(quiet, at) !== null) === isQuiet(quiet, at);
    }),
    { numRuns: 1500 },
  );
  t.pass();
});

test('time that counts is exactly the time outside quiet hours', t => {
  const durations = fc.integer({ min: 0, max: 144 });
  fc.assert(
    fc.property(fc.constantFrom(...zones), durations, fc.integer({ min: 0, max: 1000 }), (timezone, tens, offset) => {
      const quiet = { ...night, timezone };
      const start = Date.UTC(2026, 9, 23) + offset * 10 * minuteMs;
      const end = addActive(quiet, start, tens * 10 * minuteMs);
      let counted = 0;
      for (let at = start; at < end; at += 10 * minuteMs) if (!isQuiet(quiet, at)) counted += 1;
      return counted === tens && !isQuiet(quiet, end);
    }),
    { numRuns: 40 },
  );
  t.pass();
});

test('a thousand steps over many quiet days are found in no time', async t => {
  const short: QuietHours = { ...night, from: '07:30', to: '07:00' };
  const ms = await leastThreadMs(5000, () => {
    for (let index = 0; index < 1000; index++) addActive(short, berlin('2026-11-21T12:00:00+01:00'), index * minuteMs);
  });
  t.true(ms < 5000, `${ms} ms`);
  t.is(addActive({ ...short, to: '07:30' }, Date.UTC(2026, 10, 21), 1), Number.POSITIVE_INFINITY);
});
