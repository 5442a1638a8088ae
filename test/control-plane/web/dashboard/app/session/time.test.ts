import test from 'ava';
import fc from 'fast-check';
import {
  formatAgo,
  formatDuration,
  formatLongDuration,
  formatTime,
} from '#control-plane/web/dashboard/app/session/time.ts';
import { isFull } from '#test/support/full.ts';
import { nowMs } from '../samples.ts';

const before = (seconds: number) => new Date(nowMs - seconds * 1000).toISOString();

const secondsOf: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 };

/** The seconds of a duration as it is written. */
const read = (text: string) =>
  [...text.matchAll(/(\d+) (s|min|h|d)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (secondsOf[unit ?? ''] ?? Number.NaN),
    0,
  );

const numRuns = isFull ? 1000 : 60;

test('durations are rounded down to whole units', t => {
  const cases: [number, string, string][] = [
    [-5, '0 s', '0 s'],
    [999, '0 s', '0 s'],
    [59_999, '59 s', '59 s'],
    [60_000, '1 min', '1 min'],
    [61_000, '1 min', '1 min 1 s'],
    [4_320_000, '1 h', '1 h 12 min'],
    [86_399_000, '23 h', '23 h 59 min'],
    [90_000_000, '1 d', '1 d 1 h'],
    [86_460_000, '1 d', '1 d'],
  ];
  for (const [ms, short, long] of cases) {
    t.is(formatDuration(ms), short, `${ms}`);
    t.is(formatLongDuration(ms), long, `${ms}`);
  }
});

test('an age says now within a second and a half, and in for the future', t => {
  const texts = [0, 1.4, 1.6, 90, -1, -30].map(seconds => formatAgo(before(seconds), nowMs));
  t.deepEqual(texts, ['now', 'now', '1 s ago', '1 min ago', 'now', 'in 30 s']);
});

test('a time names its zone', t => {
  t.is(formatTime('2026-11-21T09:00:00.123Z', 'utc'), '2026-11-21 09:00:00 UTC');
  t.is(formatTime('2026-11-21T09:00:00.123Z', 'Asia/Kathmandu'), '2026-11-21 14:45:00 +05:45');
  t.is(formatTime('2026-07-21T09:00:00.123Z', 'America/New_York'), '2026-07-21 05:00:00 -04:00');
  t.regex(formatTime('2026-11-21T09:00:00.123Z', 'local'), /^2026-11-2\d \d\d:\d\d:00 [+-]\d\d:\d\d$/);
});

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
