import test from 'ava';
import fc from 'fast-check';
import {
  allEntries,
  boundsOf,
  type GroupRule,
  groupEnd,
  groupOf,
  groupStart,
} from '#control-plane/analytics/flows/report/report-context.ts';
import { dayMs, hourMs } from '#shared/duration.ts';

const dayOneMs = Date.UTC(2026, 10, 2);
const at = (hours: number) => dayOneMs + hours * hourMs;
const markers = [
  { id: 'rel_a', atMs: at(3.5), version: '1', name: null },
  { id: 'rel_b', atMs: at(30), version: '2', name: null },
];
const [earliest, latest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

type Case = [grouping: GroupRule['grouping'], atMs: number, group: string, startMs: number, endMs: number];
const cases: Case[] = [
  ['none', at(5), allEntries, earliest, latest],
  ['day', at(5.2), '2026-11-02T00:00:00.000Z', at(0), at(24)],
  ['day', at(24), '2026-11-03T00:00:00.000Z', at(24), at(48)],
  ['day', at(24) - 1, '2026-11-02T00:00:00.000Z', at(0), at(24)],
  ['hour', at(5.2), '2026-11-02T05:00:00.000Z', at(5), at(6)],
  ['hour', at(5), '2026-11-02T05:00:00.000Z', at(5), at(6)],
  ['release', at(3), '', earliest, at(3.5)],
  ['release', at(3.5), 'rel_a', at(3.5), at(30)],
  ['release', at(29.9), 'rel_a', at(3.5), at(30)],
  ['release', at(100), 'rel_b', at(30), latest],
];

for (const [grouping, atMs, group, startMs, endMs] of cases)
  test(`by ${grouping}, ${new Date(atMs).toISOString()} is in the group "${group}"`, t => {
    const rule = { grouping, markers };
    t.is(groupOf(rule, atMs), group);
    t.is(groupStart(rule, atMs), startMs);
    t.is(groupEnd(rule, atMs), endMs);
  });

test('without markers all entries are before the first release', t => {
  const rule: GroupRule = { grouping: 'release', markers: [] };
  t.deepEqual([groupOf(rule, 5), groupStart(rule, 5), groupEnd(rule, 5)], ['', earliest, latest]);
  t.deepEqual(boundsOf(rule, { fromMs: 0, toMs: 5 }), [0, 5]);
});

test('bounds split a range where groups change: at hours, days or markers', t => {
  const range = { fromMs: at(2.5), toMs: at(26) };
  t.deepEqual(boundsOf({ grouping: 'none', markers }, range), [at(2.5), at(26)]);
  t.deepEqual(boundsOf({ grouping: 'day', markers }, range), [at(2.5), at(24), at(26)]);
  t.deepEqual(boundsOf({ grouping: 'release', markers }, range), [at(2.5), at(3.5), at(26)]);
  t.deepEqual(boundsOf({ grouping: 'hour', markers }, { fromMs: at(2.5), toMs: at(5) }), [
    at(2.5),
    at(3),
    at(4),
    at(5),
  ]);
});

test('between two bounds there is one group, and a group holds the instants from its start to its end', t => {
  const grouping = fc.constantFrom('none' as const, 'day' as const, 'hour' as const, 'release' as const);
  const instant = fc.integer({ min: at(-30), max: at(80) });
  const markerList = fc
    .uniqueArray(instant, { maxLength: 5 })
    .map(list =>
      list.sort((left, right) => left - right).map(atMs => ({ id: `rel_${atMs}`, atMs, version: '1', name: null })),
    );
  fc.assert(
    fc.property(grouping, markerList, instant, fc.integer({ min: 1, max: 3 * dayMs }), (kind, list, fromMs, length) => {
      const rule = { grouping: kind, markers: list };
      const bounds = boundsOf(rule, { fromMs, toMs: fromMs + length });
      t.deepEqual([bounds[0], bounds.at(-1)], [fromMs, fromMs + length]);
      for (const [index, startMs] of bounds.slice(0, -1).entries()) {
        const lastMs = (bounds[index + 1] ?? 0) - 1;
        t.is(groupOf(rule, startMs), groupOf(rule, lastMs));
        t.true(groupStart(rule, startMs) <= startMs && groupEnd(rule, startMs) > lastMs);
        if (index > 0) t.not(groupOf(rule, startMs), groupOf(rule, startMs - 1));
      }
    }),
    { numRuns: 500 },
  );
});
