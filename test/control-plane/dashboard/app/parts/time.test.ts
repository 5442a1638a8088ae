import test from 'ava';
import {
  age,
  ago,
  at,
  formatDuration,
  formatLongDuration,
  startedAndLasted,
} from '#control-plane/dashboard/app/parts/time.ts';
import { textOf } from '../descriptions.ts';
import { nowMs } from '../samples.ts';

const before = (seconds: number) => new Date(nowMs - seconds * 1000).toISOString();

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
  const texts = [0, 1.4, 1.6, 90, -1, -30].map(seconds => textOf(ago(before(seconds), nowMs)));
  t.deepEqual(texts, ['now', 'now', '1 s ago', '1 min ago', 'now', 'in 30 s']);
  t.is(textOf(age(before(90), nowMs)), '1 min');
});

test('every time carries the exact instant in UTC', t => {
  const { attributes } = ago('2026-11-21T09:00:00.123Z', nowMs);
  t.deepEqual(attributes, { datetime: '2026-11-21T09:00:00.123Z', title: '2026-11-21 09:00:00 UTC' });
  t.is(textOf(at('2026-11-21T09:00:00Z')), '2026-11-21 09:00:00 UTC');
});

test('a period says how long it lasted once it has ended', t => {
  t.is(textOf(startedAndLasted({ started_at: before(600), resolved_at: null }, nowMs)), 'started 10 min ago');
  t.is(
    textOf(startedAndLasted({ started_at: before(600), resolved_at: before(535) }, nowMs)),
    'started 10 min ago, lasted 1 min 5 s',
  );
});
