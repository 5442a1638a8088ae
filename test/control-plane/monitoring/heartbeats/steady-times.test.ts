import test from 'ava';
import fc from 'fast-check';
import { parseCron } from '#control-plane/monitoring/monitors/heartbeats/cron.ts';
import { nextCronTime } from '#control-plane/monitoring/monitors/heartbeats/cron-times.ts';
import { cronTimes } from '#control-plane/monitoring/monitors/heartbeats/steady-times.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { timesAsLong } from '#test/support/thread-time.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
];
const expressions = [
  '* * * * *',
  '*/7 * * * *',
  '30 * * * *',
  '15 2 * * *',
  '*/30 1-3 * * *',
  '0 */5 1,15 * 1',
  '59 23 * * 0',
  '0 0 29 2 *',
];
/** Clocks are set in each of these days, in one of the zones; the last has none. */
const days = [
  '2026-03-08',
  '2026-03-29',
  '2026-04-05',
  '2026-10-04',
  '2026-10-25',
  '2026-11-01',
  '2026-09-20',
  '2026-07-01',
];

test('times in a row are those that the calendar gives for each instant, also where clocks are set', t => {
  const property = fc.property(
    fc.constantFrom(...expressions),
    fc.constantFrom(...zones),
    fc.constantFrom(...days),
    fc.integer({ min: -30 * 60, max: 30 * 60 }),
    fc.array(fc.oneof(fc.integer({ min: 0, max: 90_000 }), fc.integer({ min: 0, max: 12 * hourMs })), { maxLength: 8 }),
    (text, timezone, day, minutes, steps) => {
      const cron = parseCron(text);
      if (cron === null) return false;
      const next = cronTimes(cron, timezone);
      let at = Date.parse(day) + minutes * minuteMs;
      for (const step of [0, ...steps]) {
        at += step;
        t.deepEqual(
          next(at),
          nextCronTime(cron, timezone, at),
          `${text} in ${timezone} after ${new Date(at).toISOString()}`,
        );
      }
      return true;
    },
  );
  fc.assert(property, { numRuns: 100 });
});

test('times of each minute take a small part of what the calendar takes', async t => {
  const cron = parseCron('* * * * *');
  if (cron === null) return t.fail();
  const start = Date.parse('2026-10-24T00:00Z');
  const walk = (next: (afterMs: number) => { at: number } | null, untilMs: number) => {
    let count = 0;
    for (let at = start; at < untilMs; count += 1) at = next(at)?.at ?? untilMs;
    return count;
  };
  const times = await timesAsLong(
    6,
    () => walk(at => nextCronTime(cron, 'Europe/Berlin', at), start + 4 * hourMs),
    () => t.is(walk(cronTimes(cron, 'Europe/Berlin'), start + 2 * dayMs), 2 * 24 * 60),
  );
  t.true(times < 6, `12 times as many minutes take ${times} times as long`);
});
