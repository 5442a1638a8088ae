import test from 'ava';
import fc from 'fast-check';
import {
  boundsWithin,
  ceilHour,
  floorHour,
  hoursIn,
  isFullyRetained,
  releaseAt,
  runsOf,
  spansOf,
} from '#control-plane/analytics/flows/roll-up/dirty-hours.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';

const nowMs = Date.UTC(2026, 10, 3, 10, 30);
const at = (hour: number, minute = 0) => Date.UTC(2026, 10, 3, hour, minute);

test('hours are those of UTC, and a whole hour is its own floor and ceiling', t => {
  t.deepEqual([floorHour(nowMs), ceilHour(nowMs)], [at(10), at(11)]);
  t.deepEqual([floorHour(at(10)), ceilHour(at(10))], [at(10), at(10)]);
  t.is(floorHour(-1), -hourMs);
});

const rangesOfHours: [title: string, fromMs: number, toMs: number, expected: number[]][] = [
  ['nothing', at(10), at(10), []],
  ['one whole hour', at(10), at(11), [at(10)]],
  ['an instant within an hour', at(10, 5), at(10, 6), [at(10)]],
  ['two partial hours', at(10, 59), at(11, 1), [at(10), at(11)]],
];
for (const [title, fromMs, toMs, expected] of rangesOfHours)
  test(`hours in a range: ${title}`, t => t.deepEqual(hoursIn(fromMs, toMs), expected));

test('an hour is fully retained while events that arrived an hour before it are', t => {
  t.true(isFullyRetained(at(10), at(9)));
  t.false(isFullyRetained(at(10), at(9) + 1));
});

const markers = [
  { id: 'rel_a', atMs: at(3), version: '1', name: null },
  { id: 'rel_b', atMs: at(5), version: '2', name: null },
];
const releases: [atMs: number, expected: string][] = [
  [at(3) - 1, ''],
  [at(3), 'rel_a'],
  [at(5) - 1, 'rel_a'],
  [at(5), 'rel_b'],
  [at(23), 'rel_b'],
];
for (const [atMs, expected] of releases)
  test(`an entry at ${new Date(atMs).toISOString()} is attributed to "${expected}"`, t =>
    t.is(releaseAt(markers, atMs), expected));

test('bounds are the ends and what lies strictly between, ascending, each once', t => {
  t.deepEqual(boundsWithin(1, 9, [5, 3, 9, 1, 0, 10, 5]), [1, 3, 5, 9]);
  t.deepEqual(boundsWithin(1, 9, []), [1, 9]);
  t.deepEqual(boundsWithin(1, 1, [1]), [1]);
});

test('runs join consecutive hours', t => {
  t.deepEqual(runsOf([]), []);
  t.deepEqual(runsOf([at(1), at(2), at(4)]), [
    [at(1), at(3)],
    [at(4), at(5)],
  ]);
  t.deepEqual(runsOf([at(1), at(1, 1), at(1, 3)], minuteMs), [
    [at(1), at(1, 2)],
    [at(1, 3), at(1, 4)],
  ]);
});

test('each run of minutes has its own span: the time between them costs nothing', t => {
  const oldMs = Date.UTC(2000, 0, 1, 5, 7);
  const spans = spansOf([oldMs, nowMs - minuteMs, nowMs, nowMs + 2 * hourMs], 7 * dayMs);
  t.deepEqual(spans, [
    { fromMs: Date.UTC(1999, 11, 25, 5), toMs: Date.UTC(2000, 0, 1, 6), runs: [[oldMs, oldMs + minuteMs]] },
    {
      fromMs: Date.UTC(2026, 9, 27, 10),
      toMs: Date.UTC(2026, 10, 3, 13),
      runs: [
        [nowMs - minuteMs, nowMs + minuteMs],
        [nowMs + 2 * hourMs, nowMs + 2 * hourMs + minuteMs],
      ],
    },
  ]);
});

test('spans are whole hours apart from each other and cover every entry that an arrival can move', t => {
  const minutes = fc
    .uniqueArray(fc.integer({ min: 0, max: 3000 }), { maxLength: 30 })
    .map(list => list.sort((left, right) => left - right).map(minute => nowMs + minute * minuteMs));
  fc.assert(
    fc.property(minutes, fc.integer({ min: 0, max: 2 * dayMs }), (list, windowMs) => {
      const spans = spansOf(list, windowMs);
      for (const [index, { fromMs, toMs }] of spans.entries()) {
        t.deepEqual([fromMs % hourMs, toMs % hourMs], [0, 0]);
        const next = spans[index + 1];
        if (next !== undefined) t.true(toMs < next.fromMs);
      }
      for (const minute of list) {
        const span = spans.find(({ runs }) => runs.some(([from, to]) => minute >= from && minute < to));
        t.true(span !== undefined && span.fromMs <= minute - windowMs && span.toMs >= minute + minuteMs);
      }
      const covered = spans.flatMap(({ runs }) => runs).reduce((sum, [from, to]) => sum + (to - from) / minuteMs, 0);
      t.is(covered, list.length, 'no minute twice');
    }),
    { numRuns: 500 },
  );
});
