import test, { type ExecutionContext } from 'ava';
import { readReport } from '#control-plane/analytics/flows/report/report.ts';
import type { ReportQuery } from '#control-plane/analytics/flows/report/schema.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { useDatabase } from '#test/support/database.ts';
import { openFlowWorld } from '#test/support/flow-world.ts';
import { putEvents } from '#test/support/funnel.ts';

const databaseOf = useDatabase(test);
const nowMs = Date.UTC(2026, 10, 20, 12);
const iso = (ms: number) => new Date(ms).toISOString();

async function openReports(t: ExecutionContext) {
  const { sql, version, projectId, inTransaction } = await openFlowWorld(t, databaseOf());
  const release = (id: string, atMs: number) =>
    sql.run`
      insert into releases (id, project_id, version, environment, released_at, event_id, created_at)
      values (${id}, ${projectId}, ${id}, 'production', ${iso(atMs)}, 'evt', ${iso(atMs)})`;
  const put = (user: string, name: string, atMs: number, props: Record<string, unknown> = {}) =>
    putEvents(databaseOf(), projectId, [{ user, name, atMs, props }], atMs + 1000);
  const report = (query: ReportQuery) => inTransaction(inside => readReport(inside, version, query, 90, nowMs));
  return { release, put, report, projectId };
}

test('by default a report is of the last seven days, in one group', async t => {
  const { report } = await openReports(t);
  t.like(await report({}), {
    range: { from: iso(nowMs - 7 * dayMs), to: iso(nowMs) },
    group_by: 'none',
    source: 'raw',
    estimated: false,
    complete_from: null,
    complete_through: iso(nowMs),
  });
  t.like((await report({ to: nowMs - dayMs })).range, { from: iso(nowMs - 8 * dayMs) });
  t.like((await report({ from: nowMs + hourMs })).range, { from: iso(nowMs + hourMs), to: iso(nowMs + hourMs) });
});

test('ratios are of the first and of the previous step, null where there is nobody', async t => {
  const { report, put } = await openReports(t);
  const ratios = async () => (await report({})).steps.map(step => [step.users, step.from_first, step.from_previous]);
  t.deepEqual(await ratios(), [
    [0, null, null],
    [0, null, null],
  ]);
  await put('a', 'one', nowMs - hourMs);
  await put('b', 'one', nowMs - hourMs);
  await put('a', 'two', nowMs - hourMs + 1000);
  t.deepEqual(await ratios(), [
    [2, 1, null],
    [1, 0.5, 0.5],
  ]);
});

test('a release cuts the range to the time in which it was the latest', async t => {
  const { report, release, projectId } = await openReports(t);
  const [a, b] = [`rel_a_${projectId}`, `rel_b_${projectId}`];
  await release(a, nowMs - 3 * dayMs);
  await release(b, nowMs - dayMs);
  const rangeOf = async (query: ReportQuery) => (await report(query)).range;
  t.deepEqual(await rangeOf({ release_id: a }), { from: iso(nowMs - 3 * dayMs), to: iso(nowMs - dayMs) });
  t.deepEqual(await rangeOf({ release_id: b }), { from: iso(nowMs - dayMs), to: iso(nowMs) });
  t.deepEqual(
    await rangeOf({ release_id: a, from: nowMs - hourMs }),
    { from: iso(nowMs - hourMs), to: iso(nowMs - hourMs) },
    'nothing is left of it',
  );
});

test('groups by release are in the order of their markers, entries before the first come first', async t => {
  const { report, release, put, projectId } = await openReports(t);
  const [a, b] = [`rel_a_${projectId}`, `rel_b_${projectId}`];
  await release(b, nowMs - 2 * dayMs);
  await release(a, nowMs - dayMs);
  for (const days of [0.5, 1.5, 2.5]) await put(`u${days}`, 'one', nowMs - days * dayMs);
  const { releases } = await report({ group_by: 'release' });
  t.deepEqual(
    releases?.map(group => [group.release_id, group.released_at, group.steps[0]?.users]),
    [
      [null, null, 1],
      [b, iso(nowMs - 2 * dayMs), 1],
      [a, iso(nowMs - dayMs), 1],
    ],
  );
});

test('groups by a property are of the entry: the most frequent first, then missing and other values', async t => {
  const { report, put } = await openReports(t);
  const atMs = nowMs - hourMs;
  await put('a', 'one', atMs, { plan: 'pro' });
  await put('a', 'two', atMs + 1000, { plan: 'free' });
  await put('b', 'one', atMs, { plan: 'pro' });
  await put('c', 'one', atMs, { plan: 1 });
  await put('c', 'one', atMs, { plan: '1' });
  await put('d', 'one', atMs);
  await put('e', 'one', atMs, { plan: { of: 'x' } });
  await put('f', 'one', atMs, { plan: 'x'.repeat(101) });
  await put('g', 'one', atMs, { plan: null });
  const { steps, values, source, property } = await report({ group_by: 'property', property: 'plan' });
  t.deepEqual([property, source, steps.map(step => step.users)], ['plan', 'raw', [7, 1]]);
  t.deepEqual(
    values?.map(({ type, value, steps }) => [type, value, ...steps.map(step => step.users)]),
    [
      ['value', 'pro', 2, 1],
      ['value', '1', 1, 0],
      ['value', 1, 1, 0],
      ['value', null, 1, 0],
      ['missing', null, 1, 0],
      ['other', null, 2, 0],
    ],
  );
});

test('the 20 values with the most users are groups; the rest is one', async t => {
  const { report, put } = await openReports(t);
  for (let index = 0; index < 23; index++) await put(`u${index}`, 'one', nowMs - hourMs, { n: index });
  await put('again', 'one', nowMs - hourMs, { n: 22 });
  const { values = [] } = await report({ group_by: 'property', property: 'n' });
  t.deepEqual([values.length, values[0]?.value, values[0]?.steps[0]?.users], [21, 22, 2]);
  t.like(values[20], { type: 'other', value: null });
  t.is(values[20]?.steps[0]?.users, 3);
});

test('a report by property begins where raw events are retained, and says so', async t => {
  const { report } = await openReports(t);
  const { range } = await report({ group_by: 'property', property: 'n', from: nowMs - 400 * dayMs });
  t.deepEqual(range, { from: iso(nowMs - 90 * dayMs + hourMs), to: iso(nowMs) });
});

const refused: [title: string, query: ReportQuery, message: RegExp][] = [
  ['from after to', { from: nowMs, to: nowMs - 1 }, /from must not be after to/],
  ['more than ten years', { from: nowMs - 3661 * dayMs }, /from must be at most ten years before to/],
  ['too many days', { from: nowMs - 401 * dayMs, group_by: 'day' }, /group_by must give at most 400 groups/],
  ['too many hours', { from: nowMs - 801 * hourMs, group_by: 'hour' }, /group_by must give at most 800 groups/],
  ['by property without one', { group_by: 'property' }, /property is required/],
  ['a property without the group', { property: 'plan' }, /property needs group_by=property/],
  ['a property of the roll-up', { group_by: 'property', property: 'x', source: 'hourly' }, /source must be raw/],
  ['an unknown release', { release_id: 'rel_x' }, /release_id must be a production release/],
];
for (const [title, query, message] of refused)
  test(`refused: ${title}`, async t => {
    const { report } = await openReports(t);
    await t.throwsAsync(report(query), { code: 'invalid_parameter', message });
  });
