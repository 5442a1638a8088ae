import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { FlowRule } from '#control-plane/analytics/flows/flow.ts';
import { readReport } from '#control-plane/analytics/flows/report/report.ts';
import type { ReportQuery, ReportView } from '#control-plane/analytics/flows/report/schema.ts';
import { listProjectsWithWork } from '#control-plane/analytics/flows/roll-up/queue-store.ts';
import { rollUp } from '#control-plane/analytics/flows/roll-up/roll-up.ts';
import { findVersion, insertFlow } from '#control-plane/analytics/flows/store.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { createTenant } from '#test/support/control-plane.ts';
import { createDatabase } from '#test/support/database.ts';
import { countByRule, putEvents, type UserEvent } from '#test/support/funnel.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { readTables } from '#test/support/tables.ts';

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 10, 2);
const unitMs = 30 * 60_000;
const retentionDays = 90;
const step = (event: string) => ({ event, where: [] });
const rules: FlowRule[] = [
  { steps: [step('one'), step('two'), step('three')], windowSeconds: 2 * 3600, order: 'ordered' },
  { steps: [step('one'), step('two'), step('one')], windowSeconds: 3 * 3600, order: 'ordered' },
  { steps: [step('one'), step('two')], windowSeconds: 3 * 3600, order: 'strict' },
];
const event = fc.record({
  user: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  name: fc.constantFrom('one', 'two', 'three'),
  at: fc.nat({ max: 20 }),
});

/** Of its own: the workers of other tests would roll up at another time. */
async function ownDatabase(t: ExecutionContext): Promise<string> {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  return database.url;
}

async function openProject(databaseUrl: string) {
  const { projectId } = await createTenant(databaseUrl);
  const pools = patientPools(databaseUrl);
  const sql = sqlOf(pools.background);
  const put = (events: readonly UserEvent[], nowMs = startMs + 24 * hourMs) =>
    putEvents(databaseUrl, projectId, events, nowMs);
  const makeFlow = async (rule: FlowRule) => {
    const row = await insertFlow(sql, projectId, 'flow', rule, startMs);
    return { id: row.id, rule };
  };
  const release = (id: string, atMs: number) =>
    sql.run`
      insert into releases (id, project_id, version, environment, released_at, event_id, created_at)
      select id, ${projectId}, id, 'production', at, 'evt', at
      from (select ${`rel_${id}_${projectId}`} as id, ${new Date(atMs).toISOString()}::timestamptz as at) as release`;
  const report = async (flowId: string, query: ReportQuery, nowMs = startMs + 24 * hourMs): Promise<ReportView> => {
    const version = await findVersion(sql, flowId, 1);
    if (version === null) throw new Error('no version');
    return transaction(pools.background, inside => readReport(inside, version, query, retentionDays, nowMs));
  };
  const roll = async (nowMs = startMs + 24 * hourMs, projectTimeMs = 5000) => {
    // Another test's worker may hold this project for a moment, and then it is passed over.
    do await rollUp(pools.background, { nowMs, projectTimeMs });
    while ((await listProjectsWithWork(sql)).includes(projectId));
  };
  return { projectId, pools, sql, put, makeFlow, release, report, roll };
}

const usersOf = (report: Pick<ReportView, 'steps'>) => report.steps.map(step => step.users);
const toHistory = (events: readonly { user: string; name: string; at: number }[]): UserEvent[] =>
  events.map(({ at, ...rest }) => ({ ...rest, atMs: startMs + at * unitMs }));

test('R16: hour-aligned reports are the same raw, from the roll-up, mixed, and without raw events', async t => {
  // Of its own: the last look is from a hundred days later, when a worker would find other tests’ events gone.
  const databaseUrl = await ownDatabase(t);
  const histories = fc.sample(
    fc.record({
      events: fc.array(event, { maxLength: 40 }),
      cut: fc.nat({ max: 40 }),
      from: fc.nat({ max: 5 }),
      hours: fc.integer({ min: 1, max: 8 }),
      marker: fc.nat({ max: 20 }),
    }),
    14,
  );
  for (const { events, cut, from, hours, marker } of histories) {
    const project = await openProject(databaseUrl);
    const history = toHistory(events);
    const flows = await Promise.all(rules.map(project.makeFlow));
    await project.release('first', startMs + marker * unitMs);
    await project.roll();
    // In two deliveries that cut across time: what comes second is late.
    await project.put(history.slice(0, cut));
    await project.roll();
    await project.put(history.slice(cut));
    await project.roll();
    const [fromMs, toMs] = [startMs + from * hourMs, startMs + (from + hours) * hourMs];
    const range = { from: fromMs, to: toMs };
    const before = new Map<string, unknown>();
    for (const { id, rule } of flows) {
      const expected = countByRule(history, rule, fromMs, toMs);
      const what = JSON.stringify({ history, rule, cut, from, hours });
      for (const source of ['raw', 'hourly', 'auto'] as const)
        t.deepEqual(usersOf(await project.report(id, { ...range, source })), expected, `${source} ${what}`);
      for (const group_by of ['hour', 'day', 'release'] as const) {
        const [raw, hourly] = [
          await project.report(id, { ...range, group_by, source: 'raw' }),
          await project.report(id, { ...range, group_by, source: 'hourly' }),
        ];
        t.deepEqual(
          [hourly.buckets, hourly.releases, usersOf(hourly)],
          [raw.buckets, raw.releases, usersOf(raw)],
          `${group_by} ${what}`,
        );
        before.set(`${id} ${group_by}`, [raw.buckets, raw.releases]);
      }
      const odd = { from: fromMs + 7 * 60_000, to: toMs + 11 * 60_000 };
      const mixed = await project.report(id, odd);
      t.deepEqual(usersOf(mixed), countByRule(history, rule, odd.from, odd.to), `mixed ${what}`);
      await project.sql.run`
          insert into flow_recompute (flow_id, version, hour, project_id)
          select ${id}, 1, ${new Date(startMs).toISOString()}::timestamptz + h * interval '1 hour', ${project.projectId}
          from unnest(array[2, 3, 6]) as w (h)`;
      for (const group_by of ['hour', 'day', 'release'] as const) {
        const grouped = await project.report(id, { ...odd, group_by });
        const raw = await project.report(id, { ...odd, group_by, source: 'raw' });
        t.deepEqual(
          [grouped.buckets, grouped.releases, usersOf(grouped)],
          [raw.buckets, raw.releases, usersOf(raw)],
          `mixed ${group_by} ${what}`,
        );
      }
    }
    await project.sql.run`delete from events where project_id = ${project.projectId}`;
    const laterMs = startMs + (retentionDays + 10) * 24 * hourMs;
    await project.roll(laterMs);
    for (const { id, rule } of flows) {
      const after = await project.report(id, range, laterMs);
      t.deepEqual([usersOf(after), after.source], [countByRule(history, rule, fromMs, toMs), 'hourly']);
      for (const group_by of ['hour', 'day', 'release'] as const) {
        const grouped = await project.report(id, { ...range, group_by }, laterMs);
        t.deepEqual([grouped.buckets, grouped.releases], before.get(`${id} ${group_by}`));
      }
    }
    await project.pools.end();
  }
});

test('above its exact bound the roll-up is estimated, says so, and stays within its error', async t => {
  const project = await openProject(await ownDatabase(t));
  t.teardown(() => project.pools.end());
  const [rule] = rules as [FlowRule];
  const { id } = await project.makeFlow(rule);
  const history = Array.from({ length: 6000 }, (_, index): UserEvent[] => [
    { user: `u${index}`, name: 'one', atMs: startMs + (index % 100) * 1000 },
    ...(index % 2 === 0 ? [{ user: `u${index}`, name: 'two', atMs: startMs + 200_000 }] : []),
    ...(index % 20 === 0 ? [{ user: `u${index}`, name: 'three', atMs: startMs + 300_000 }] : []),
  ]).flat();
  await project.put(history);
  await project.roll();
  const range = { from: startMs, to: startMs + hourMs };
  const raw = await project.report(id, { ...range, source: 'raw' });
  t.deepEqual([usersOf(raw), raw.estimated], [[6000, 3000, 300], false]);
  const hourly = await project.report(id, range);
  t.deepEqual([hourly.source, hourly.estimated], ['hourly', true]);
  for (const [index, users] of usersOf(hourly).entries())
    t.true(Math.abs(users - (usersOf(raw)[index] ?? 0)) <= 0.035 * 6000, `${users}`);
  t.is(usersOf(hourly)[2], 300, 'a small step is exact still');
});

test('two workers at once, and the same work again, change nothing', async t => {
  const databaseUrl = await ownDatabase(t);
  const project = await openProject(databaseUrl);
  t.teardown(() => project.pools.end());
  const flows = await Promise.all(rules.map(project.makeFlow));
  const history = toHistory(fc.sample(event, 120));
  await project.roll();
  for (let start = 0; start < history.length; start += 20) {
    await project.put(history.slice(start, start + 20));
    await Promise.all([project.roll(), project.roll(), project.roll()]);
  }
  await project.roll();
  const cells = async () =>
    (await readTables(databaseUrl)).events_hourly?.filter(row => flows.some(flow => row.includes(flow.id)));
  const before = await cells();
  t.true((before?.length ?? 0) > 0);
  for (const { id, rule } of flows)
    t.deepEqual(
      usersOf(await project.report(id, { from: startMs, to: startMs + 24 * hourMs })),
      countByRule(history, rule, startMs, startMs + 24 * hourMs),
    );
  await project.sql.run`
      insert into events_pending (project_id, minute, at)
      select project_id, date_bin('1 minute', timestamp, '2000-01-01Z'), now()
      from events
      where project_id = ${project.projectId}`;
  await project.roll();
  for (const { id } of flows)
    await project.sql.run`
        insert into flow_recompute (flow_id, version, hour, project_id)
        select distinct flow_id, version, hour, project_id
        from events_hourly
        where flow_id = ${id}`;
  await Promise.all([project.roll(), project.roll()]);
  await project.roll();
  t.deepEqual(await cells(), before);
});

test('a project whose time is over counts one version a round; the others come later, and reports say so', async t => {
  const databaseUrl = await ownDatabase(t);
  const project = await openProject(databaseUrl);
  t.teardown(() => project.pools.end());
  const flows = await Promise.all(rules.map(project.makeFlow));
  const history = toHistory(fc.sample(event, 90));
  const range = { from: startMs, to: startMs + 24 * hourMs };
  await project.roll();
  for (let start = 0; start < history.length; start += 30) {
    const arrivedMs = startMs + 24 * hourMs + start * 1000;
    await project.put(history.slice(start, start + 30), arrivedMs);
    t.true(await rollUp(project.pools.background, { nowMs: arrivedMs + 1000, projectTimeMs: 0 }), 'work is left');
    const through = await Promise.all(
      flows.map(async ({ id }) => Date.parse((await project.report(id, range, arrivedMs + 1000)).complete_through)),
    );
    t.is(through.filter(ms => ms <= arrivedMs).length, 2);
    await project.roll(arrivedMs + 1000, 0);
    for (const { id, rule } of flows) {
      const report = await project.report(id, { ...range, source: 'hourly' }, arrivedMs + 1000);
      t.deepEqual(usersOf(report), countByRule(history.slice(0, start + 30), rule, range.from, range.to));
    }
  }
});

test('a flow made later is filled from all raw events; until then it is read raw', async t => {
  const project = await openProject(await ownDatabase(t));
  t.teardown(() => project.pools.end());
  const history = toHistory(fc.sample(event, 60));
  await project.put(history);
  await project.roll();
  const [rule] = rules as [FlowRule];
  const { id } = await project.makeFlow(rule);
  const range = { from: startMs, to: startMs + 24 * hourMs };
  const expected = countByRule(history, rule, range.from, range.to);
  const before = await project.report(id, range);
  t.deepEqual([usersOf(before), before.source], [expected, 'raw']);
  await project.roll();
  const after = await project.report(id, range);
  t.deepEqual([usersOf(after), after.source], [expected, 'hourly']);
});

test('hours whose raw events are partly gone are only added to', async t => {
  const project = await openProject(await ownDatabase(t));
  t.teardown(() => project.pools.end());
  const [rule] = rules as [FlowRule];
  const { id } = await project.makeFlow(rule);
  await project.roll();
  const history: UserEvent[] = [
    { user: 'a', name: 'one', atMs: startMs + 1000 },
    { user: 'a', name: 'two', atMs: startMs + 2000 },
  ];
  await project.put(history);
  await project.roll();
  await project.sql.run`delete from events where project_id = ${project.projectId}`;
  const laterMs = startMs + (retentionDays + 1) * 24 * hourMs;
  await project.put([{ user: 'b', name: 'one', atMs: startMs + 3000 }], laterMs);
  await project.sql.run`
      insert into flow_recompute (flow_id, version, hour, project_id)
      values (${id}, 1, ${new Date(startMs).toISOString()}, ${project.projectId})`;
  await project.roll(laterMs);
  t.deepEqual(usersOf(await project.report(id, { from: startMs, to: startMs + hourMs }, laterMs)), [2, 1, 0]);
});

test('reports say through when they are complete', async t => {
  const project = await openProject(await ownDatabase(t));
  t.teardown(() => project.pools.end());
  const [rule] = rules as [FlowRule];
  const { id } = await project.makeFlow(rule);
  await project.roll();
  const nowMs = startMs + 24 * hourMs;
  t.is((await project.report(id, {}, nowMs)).complete_through, new Date(nowMs).toISOString());
  await project.put([{ user: 'a', name: 'one', atMs: startMs }], nowMs - 5000);
  t.is((await project.report(id, {}, nowMs)).complete_through, new Date(nowMs - 5000).toISOString());
  await project.roll(nowMs);
  t.is((await project.report(id, {}, nowMs)).complete_through, new Date(nowMs).toISOString());
});
