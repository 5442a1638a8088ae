import test from 'ava';
import fc from 'fast-check';
import { bucketName, readUptimeRange } from '#control-plane/monitoring/uptime/range.ts';
import { Problem } from '#control-plane/platform/http/problem.ts';
import { dayMs, hourMs } from '#shared/duration.ts';

const nowMs = Date.UTC(2026, 10, 21, 7, 30);

for (const [title, query, shown, buckets] of [
  ['the last 30 days by default', {}, { from: '2026-10-23', to: '2026-11-21' }, 30],
  [
    'the last 24 hours by hour',
    { granularity: 'hour' },
    { from: '2026-11-20T08:00:00.000Z', to: '2026-11-21T08:00:00.000Z' },
    24,
  ],
  ['dates, both included', { from: '2026-11-01', to: '2026-11-03' }, { from: '2026-11-01', to: '2026-11-03' }, 3],
  ['a single date', { from: '2026-11-01', to: '2026-11-01' }, { from: '2026-11-01', to: '2026-11-01' }, 1],
  ['from a date until today', { from: '2026-11-20' }, { from: '2026-11-20', to: '2026-11-21' }, 2],
  [
    'instants by hour, rounded to whole hours',
    { granularity: 'hour', from: '2026-11-20T00:30:00+02:00', to: '2026-11-20T00:30:00Z' },
    { from: '2026-11-19T22:00:00.000Z', to: '2026-11-20T01:00:00.000Z' },
    3,
  ],
  [
    'dates by hour, the end excluded',
    { granularity: 'hour', from: '2026-11-20', to: '2026-11-21' },
    { from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' },
    24,
  ],
] as const) {
  test(`range of ${title}`, t => {
    const range = readUptimeRange(query, nowMs);
    t.deepEqual(range.shown, shown);
    t.is(range.starts.length, buckets);
  });
}

for (const [title, query, parameter, code] of [
  ['a word', { from: 'yesterday' }, 'from', 'format'],
  ['a date that does not exist', { from: '2026-02-30' }, 'from', 'format'],
  ['a time without an offset', { to: '2026-11-01T00:00:00' }, 'to', 'format'],
  ['an end before the start', { from: '2026-11-03', to: '2026-11-01' }, 'from', 'out_of_range'],
  ['an end one day before the start', { from: '2026-11-02', to: '2026-11-01' }, 'from', 'out_of_range'],
  ['a start when the last day is over', { from: '2026-11-02T00:00:00Z', to: '2026-11-01' }, 'from', 'out_of_range'],
  ['a time before the start', { from: '2026-11-02', to: '2026-11-01T23:59:59Z' }, 'from', 'out_of_range'],
  ['a start in the future', { from: '2027-01-01' }, 'from', 'out_of_range'],
  ['a start later today', { from: '2026-11-21T07:30:00.001Z' }, 'from', 'out_of_range'],
  ['a start later this hour', { granularity: 'hour', from: '2026-11-21T07:59:00Z' }, 'from', 'out_of_range'],
  ['a start where the last bucket ends', { from: '2026-11-22' }, 'from', 'out_of_range'],
  ['more than 400 days', { from: '2025-10-17' }, 'from', 'out_of_range'],
  ['more than 800 hours', { granularity: 'hour', from: '2026-10-01' }, 'from', 'out_of_range'],
] as const) {
  test(`${title} is refused at ${parameter} as ${code}`, t => {
    const error = t.throws(() => readUptimeRange(query, nowMs), { instanceOf: Problem });
    t.is(error?.code, 'invalid_parameter');
    t.like(error?.details.errors?.[0], { parameter, code });
    t.true(error?.message.startsWith(`${parameter} `), 'the sentence starts with the parameter');
  });
}

test('400 days and 800 hours are allowed', t => {
  t.is(readUptimeRange({ from: '2025-10-18' }, nowMs).starts.length, 400);
  const from = new Date(Math.floor(nowMs / hourMs) * hourMs - 799 * hourMs).toISOString();
  t.is(readUptimeRange({ granularity: 'hour', from }, nowMs).starts.length, 800);
});

test('buckets adjoin, cover the range and never end after now', t => {
  const day = fc.integer({ min: 0, max: 399 }).map(ago => bucketName(nowMs - ago * dayMs, 'day'));
  fc.assert(
    fc.property(day, day, (first, second) => {
      const [from, to] = [first, second].sort();
      const { starts, bounds } = readUptimeRange({ from, to }, nowMs);
      t.is(bounds.length, starts.length + 1);
      t.is(bounds[0], Date.parse(`${from}T00:00:00Z`));
      t.true(bounds.every((bound, index) => bound <= nowMs && bound >= (bounds[index - 1] ?? 0)));
      t.true(starts.every((start, index) => index === 0 || start - (starts[index - 1] ?? 0) === dayMs));
      t.is(bounds.at(-1), Math.min(nowMs, Date.parse(`${to}T00:00:00Z`) + dayMs));
    }),
  );
});
