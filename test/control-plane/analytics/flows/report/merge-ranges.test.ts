import test, { type ExecutionContext } from 'ava';
import { actorOf } from '#control-plane/analytics/events/actor.ts';
import { mergeRanges } from '#control-plane/analytics/flows/report/merge-ranges.ts';
import type { PlannedRange } from '#control-plane/analytics/flows/report/ranges.ts';
import { allEntries, type ReportContext } from '#control-plane/analytics/flows/report/report-context.ts';
import { saveHourlySteps } from '#control-plane/analytics/flows/roll-up/hourly-step-store.ts';
import { addUser, emptySet, storedExactMax } from '#control-plane/analytics/user-sets/user-set.ts';
import { hourMs } from '#shared/duration.ts';
import { useDatabase } from '#test/support/database.ts';
import { openFlowWorld } from '#test/support/flow-world.ts';
import { putEvents } from '#test/support/funnel.ts';

const databaseOf = useDatabase(test);
const at = (hour: number) => Date.UTC(2026, 10, 2) + hour * hourMs;
const hourly = (fromHour: number, toHour: number): PlannedRange => ({
  fromMs: at(fromHour),
  toMs: at(toHour),
  source: 'hourly',
});
const raw = (fromHour: number, toHour: number): PlannedRange => ({ ...hourly(fromHour, toHour), source: 'raw' });
const marker = (id: string, hour: number) => ({ id, atMs: at(hour), version: id, name: null });

/** An hour of the roll-up, and users of it by the step that they reached. */
type Hour = { hour: number; releaseId?: string; one: readonly string[]; two: readonly string[] };

/** A flow with hours in the roll-up and, for raw ranges, events; returns what a report of it merges. */
async function openMerge(t: ExecutionContext, hours: readonly Hour[], events: readonly Hour[] = []) {
  const { sql, version, projectId, inTransaction } = await openFlowWorld(t, databaseOf());
  const setOf = (names: readonly string[]) =>
    names.reduce((set, name) => addUser(set, actorOf(name, null) ?? 0, storedExactMax), emptySet());
  const steps = hours.flatMap(({ hour, releaseId = '', one, two }) =>
    [one, two].map((users, index) => ({ hour: at(hour), releaseId, step: index + 1, users: setOf(users) })),
  );
  await saveHourlySteps(sql, version, steps);
  const arrivals = events.flatMap(({ hour, one, two }) => [
    ...one.map(user => ({ user, name: 'one', atMs: at(hour) })),
    ...two.map(user => ({ user, name: 'two', atMs: at(hour) + 1000 })),
  ]);
  await putEvents(databaseOf(), projectId, arrivals, at(30));
  return async (changes: Partial<ReportContext>) => {
    const context = { version, markers: [], grouping: 'none', releaseId: null, rawFromMs: 0, ranges: [] } as const;
    const { counts, estimated } = await inTransaction(inside => mergeRanges({ sql: inside, ...context, ...changes }));
    return { counts: Object.fromEntries(counts), estimated };
  };
}

test('a user of several hours and of both kinds of range is counted once', async t => {
  const merge = await openMerge(
    t,
    [
      { hour: 1, one: ['a', 'b'], two: ['b'] },
      { hour: 60, one: ['a', 'c'], two: ['a'] },
    ],
    [{ hour: 3, one: ['b', 'd'], two: ['d'] }],
  );
  t.deepEqual(await merge({ ranges: [hourly(1, 3), raw(3, 4), hourly(4, 61)] }), {
    counts: { [allEntries]: [4, 3] },
    estimated: false,
  });
  t.deepEqual((await merge({ ranges: [hourly(1, 2)] })).counts, { [allEntries]: [2, 1] });
  t.deepEqual((await merge({ ranges: [hourly(20, 21)] })).counts, {});
});

test('by hour and by day each group counts its own users, and the total each user once', async t => {
  const merge = await openMerge(
    t,
    [
      { hour: 1, one: ['a', 'b'], two: ['b'] },
      { hour: 2, one: ['a'], two: [] },
      { hour: 25, one: ['a', 'c'], two: ['c'] },
    ],
    [{ hour: 26, one: ['c', 'd'], two: [] }],
  );
  const ranges = [hourly(1, 26), raw(26, 27)];
  t.deepEqual((await merge({ ranges, grouping: 'hour' })).counts, {
    [allEntries]: [4, 2],
    '2026-11-02T01:00:00.000Z': [2, 1],
    '2026-11-02T02:00:00.000Z': [1, 0],
    '2026-11-03T01:00:00.000Z': [2, 1],
    '2026-11-03T02:00:00.000Z': [2, 0],
  });
  t.deepEqual((await merge({ ranges, grouping: 'day' })).counts, {
    [allEntries]: [4, 2],
    '2026-11-02T00:00:00.000Z': [2, 1],
    '2026-11-03T00:00:00.000Z': [3, 1],
  });
});

test('by release the group is that of the roll-up, and raw entries join it by the markers', async t => {
  const markers = [marker('rel_a', 2), marker('rel_b', 5)];
  const merge = await openMerge(
    t,
    [
      { hour: 1, one: ['a'], two: [] },
      { hour: 2, releaseId: 'rel_a', one: ['a', 'b'], two: ['a'] },
      { hour: 6, releaseId: 'rel_b', one: ['c'], two: [] },
    ],
    [
      { hour: 3, one: ['b', 'd'], two: ['d'] },
      { hour: 7, one: ['c'], two: ['c'] },
    ],
  );
  const ranges = [hourly(1, 3), raw(3, 4), hourly(4, 7), raw(7, 8)];
  t.deepEqual((await merge({ ranges, markers, grouping: 'release' })).counts, {
    [allEntries]: [4, 3],
    '': [1, 0],
    rel_a: [3, 2],
    rel_b: [1, 1],
  });
  t.deepEqual((await merge({ ranges: [hourly(1, 3)], markers, releaseId: 'rel_a' })).counts, {
    [allEntries]: [2, 1],
  });
});

test('hours of a release that a later marker would end earlier still count in its group', async t => {
  // The hours were rolled up under rel_a and could not be recomputed when rel_b was marked within its time.
  const markers = [marker('rel_a', 1), marker('rel_b', 3)];
  const merge = await openMerge(t, [
    { hour: 2, releaseId: 'rel_a', one: ['a'], two: [] },
    { hour: 4, releaseId: 'rel_a', one: ['a', 'b'], two: ['a'] },
    { hour: 5, releaseId: 'rel_b', one: ['c'], two: [] },
    { hour: 5, releaseId: 'rel_gone', one: ['d'], two: [] },
  ]);
  t.deepEqual((await merge({ ranges: [hourly(1, 6)], markers, grouping: 'release' })).counts, {
    [allEntries]: [4, 1],
    rel_a: [2, 1],
    rel_b: [1, 0],
    rel_gone: [1, 0],
  });
});

test('a report is estimated if any of its sets is a sketch', async t => {
  const many = Array.from({ length: storedExactMax + 1 }, (_, index) => `user ${index}`);
  const merge = await openMerge(t, [
    { hour: 1, one: many, two: ['user 1'] },
    { hour: 2, one: ['a'], two: [] },
  ]);
  const whole = await merge({ ranges: [hourly(1, 3)] });
  t.true(whole.estimated);
  const [first = 0, second] = whole.counts[allEntries] ?? [];
  t.true(Math.abs(first - many.length - 1) < 0.04 * many.length, `${first}`);
  t.is(second, 1, 'a small step is exact');
  t.false((await merge({ ranges: [hourly(2, 3)] })).estimated);
});
