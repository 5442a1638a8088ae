import test, { type ExecutionContext } from 'ava';
import { escalateAlerts } from '#control-plane/monitoring/alerts/escalate.ts';
import { type AlertFilter, listAlerts } from '#control-plane/monitoring/alerts/list-store.ts';
import { openAlert } from '#control-plane/monitoring/alerts/open.ts';
import { resolveAlert } from '#control-plane/monitoring/alerts/resolve.ts';
import { retimeAlerts } from '#control-plane/monitoring/alerts/retime.ts';
import { acknowledge } from '#control-plane/monitoring/alerts/state-store.ts';
import { type AlertRow, findAlert } from '#control-plane/monitoring/alerts/store.ts';
import type { MonitorState } from '#control-plane/monitoring/monitors/state/state.ts';
import type { VerdictChange } from '#control-plane/monitoring/verdicts/timeline.ts';
import { instant, type Sql } from '#control-plane/platform/db/sql.ts';
import { minuteMs } from '#shared/duration.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { makeState, makeVote, testRules } from '#test/support/monitor-state.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);
const startMs = Math.floor(Date.now()) - 60 * minuteMs;

/** A project with monitors whose alerts are opened by hand. */
async function openWorld(t: ExecutionContext, monitors = 1, body: Record<string, unknown> = {}) {
  const world = await openMonitorWorld(t, databaseOf());
  const states: MonitorState[] = [];
  for (let index = 0; index < monitors; index++) {
    const { id } = (await world.post({ name: `m${index}`, ...body })).body;
    const rules = { ...testRules, regions: world.regions };
    states.push(makeState({ monitorId: id, projectId: world.projectId, rules, verdict: 'down' }));
  }
  const [state = makeState()] = states;
  const sql = <Result>(work: (sql: Sql) => Promise<Result>) => withSql(databaseOf(), work);
  const list = (changes: Partial<AlertFilter> = {}, limit = 10): Promise<AlertRow[]> =>
    sql(tx => listAlerts(tx, world.projectId, { ...everything, ...changes }, { limit, after: null }));
  return { ...world, state, states, sql, list };
}

const everything: AlertFilter = {
  states: null,
  severities: null,
  monitorId: null,
  kinds: null,
  held: null,
  groupId: null,
  selector: null,
  fromMs: null,
  toMs: null,
};

function down(since: number, regions: readonly string[]): VerdictChange {
  const votes = Object.fromEntries(regions.map(region => [region, 'down' as const]));
  return { since, verdict: 'down', votes, configVersion: 1 };
}

test.serial('a monitor has one unresolved alert, which collects every region that failed', async t => {
  const { regions, state, sql, list } = await openWorld(t);
  const [a = '', b = '', c = ''] = regions;
  t.true(await sql(tx => openAlert(tx, state, down(startMs, [b]), startMs)));
  t.false(await sql(tx => openAlert(tx, state, down(startMs + 5000, [c, a]), startMs + 5000)));
  const alerts = await list();
  t.is(alerts.length, 1);
  t.like(alerts[0], { title: 'm0 is down', state: 'open', severity: 'p2', started_at: startMs, resolved_at: null });
  t.deepEqual(alerts[0]?.regions_failing, [a, b, c], 'in the order of the monitor');
  t.is(alerts[0]?.reason.summary, 'checks are failing in a quorum of regions');
});

test.serial('alerts are found by their kind, whether they are held, and by their group', async t => {
  const { regions, states, sql, list, api } = await openWorld(t, 3);
  for (const state of states) await sql(tx => openAlert(tx, state, down(startMs, regions), startMs));
  const [first = '', second = ''] = (await list()).map(alert => alert.id);
  // Resolved while it was held: one that is open would be released, since there is no window.
  await sql(tx => tx.run`update alerts set held = true, state = 'resolved', resolved_at = now() where id = ${first}`);
  await sql(tx => tx.run`update alerts set group_id = 'agp_1' where id = ${second}`);
  t.deepEqual(ids(await list({ held: true })), [first]);
  t.is((await list({ held: false })).length, 2);
  t.deepEqual(ids(await list({ groupId: 'agp_1', kinds: ['down'] })), [second]);
  t.deepEqual(await list({ kinds: ['degraded', 'certificate'] }), []);
  for (const [query, count] of [
    ['kind=down,degraded', 3],
    ['held=true', 1],
    ['group_id=agp_1&held=false', 1],
  ] as const)
    t.is((await api('GET', `/v0/alerts?${query}`)).body.data.length, count, query);
  for (const query of ['kind=up', 'held=1']) t.is((await api('GET', `/v0/alerts?${query}`)).status, 400);
});

const ids = (alerts: readonly AlertRow[]) => alerts.map(alert => alert.id);

test.serial('simultaneous failures open one alert', async t => {
  const { regions, state, sql, list } = await openWorld(t);
  const opened = await Promise.all(
    regions.map(region => sql(tx => openAlert(tx, state, down(startMs, [region]), startMs))),
  );
  t.is(opened.filter(Boolean).length, 1);
  t.is((await list()).length, 1);
});

test.serial('the reason is the newest failure of a failing region', async t => {
  const { regions, state, sql, list } = await openWorld(t);
  const [a = '', b = ''] = regions;
  const insert = (region: string, at: number, message: string) => {
    const error = { code: 'timeout', message };
    const detail = { timings: null, error, assertions: [], remote_ip: null, bytes: 0, truncated: false, tls: null };
    return sql(
      tx => tx.run`
        insert into check_results (
          monitor_id, scheduled_at, region, kind, attempt, status, agent_id, config_version, started_at, completed_at,
          received_at, detail
        )
        select
          ${state.monitorId}, at, ${region}, 'scheduled', 1, 'err', 'agt_x', 1, at, at, at, ${JSON.stringify(detail)}
        from (values (${instant(at)}::timestamptz)) as result (at)`,
    );
  };
  const nowMs = Date.now();
  await insert(a, nowMs - 2000, 'older');
  await insert(a, nowMs - 1000, 'newest');
  await insert(b, nowMs, 'of a region that does not fail');
  await sql(tx => openAlert(tx, state, down(nowMs - 2000, [a]), nowMs));
  t.like((await list())[0]?.reason, { summary: 'newest', region: a, error_code: 'timeout' });
});

test.serial('an alert resolves once, not before it started, and remembers when it last failed', async t => {
  const { regions, state, sql, list } = await openWorld(t);
  const [a = '', b = '', c = ''] = regions;
  const votes = {
    [a]: makeVote(startMs + 1000, { vote: 'down' }),
    [b]: makeVote(startMs + 2000, { vote: 'down' }),
    [c]: makeVote(startMs + 9000),
  };
  const resolve = () => sql(tx => resolveAlert(tx, { ...state, votes }, startMs - 5000, startMs + 10_000));
  t.false(await resolve(), 'nothing is open');
  await sql(tx => openAlert(tx, state, down(startMs, [a]), startMs));
  t.true(await resolve());
  t.false(await resolve());
  t.like((await list())[0], { state: 'resolved', resolved_at: startMs, last_seen_at: startMs + 2000 });
  t.true(await sql(tx => openAlert(tx, state, down(startMs + 20_000, [a]), startMs + 20_000)), 'another outage');
  t.is((await list()).length, 2);
});

test.serial('only open alerts of enabled monitors escalate, when their time is over, each once', async t => {
  const policy = { alert_policy: { severity: 'p1', escalate_after_minutes: 5 } };
  const world = await openWorld(t, 4, policy);
  const { regions, states, sql, list } = world;
  // Not due yet for the replica, which escalates too.
  const startedAt = Date.now();
  for (const state of states) await sql(tx => openAlert(tx, state, down(startedAt, regions), startedAt));
  const [due, acknowledged, paused, deleted] = states.map(state => state.monitorId);
  const [alert] = await list({ monitorId: acknowledged ?? '' });
  const by = { type: 'token', id: 'tok_1', name: 'test' } as const;
  t.true(await sql(tx => acknowledge(tx, world.projectId, alert?.id ?? '', by, startedAt)));
  t.false(await sql(tx => acknowledge(tx, world.projectId, alert?.id ?? '', by, startedAt)), 'only once');
  await world.api('POST', `/v0/monitors/${paused}/pause`);
  await sql(tx => tx.run`update monitors set deleted_at = now() where id = ${deleted ?? ''}`);
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const dueAt = startedAt + 5 * minuteMs;
  t.is(await escalateAlerts(pools.background, dueAt - 1), 0);
  t.is(await escalateAlerts(pools.background, dueAt), 1);
  t.is(await escalateAlerts(pools.background, dueAt + minuteMs), 0);
  const escalated = (await list()).filter(row => row.escalated_at !== null);
  t.deepEqual(
    escalated.map(row => row.monitor_id),
    [due ?? ''],
  );
});

test.serial('alerts are listed by state, severity, monitor and start, latest first', async t => {
  const { regions, projectId, states, sql, list } = await openWorld(t, 3);
  for (const [index, state] of states.entries())
    await sql(tx => openAlert(tx, state, down(startMs + index * 1000, regions), startMs));
  const [first, second, third] = states.map(state => state.monitorId);
  await sql(tx => resolveAlert(tx, { ...makeState(), ...states[0], votes: {} }, startMs + 5000, startMs + 5000));
  const cases: readonly (readonly [Partial<AlertFilter>, readonly (string | undefined)[]])[] = [
    [{}, [third, second, first]],
    [{ states: ['open'] }, [third, second]],
    [{ states: ['resolved', 'acknowledged'] }, [first]],
    [{ severities: ['p1'] }, []],
    [{ severities: ['p1', 'p2'] }, [third, second, first]],
    [{ monitorId: second ?? '' }, [second]],
    [{ fromMs: startMs + 1000 }, [third, second]],
    [{ toMs: startMs + 1000 }, [first]],
    [{ fromMs: startMs + 1000, toMs: startMs + 2000 }, [second]],
  ];
  for (const [filter, expected] of cases)
    t.deepEqual(
      (await list(filter)).map(row => row.monitor_id),
      expected.map(String),
      JSON.stringify(filter),
    );
  const [newest] = await list();
  const page = { limit: 1, after: [newest?.started_at ?? 0, newest?.id ?? ''] as const };
  const rest = await sql(tx => listAlerts(tx, projectId, everything, page));
  t.deepEqual(
    rest.map(row => row.monitor_id),
    [second ?? '', first ?? ''],
    'after the cursor, and one more than the limit',
  );
  t.is(await sql(tx => findAlert(tx, 'proj_other', newest?.id ?? '')), null, 'not for another project');
});

test.serial('late results that move an outage move its alert and no other', async t => {
  const { regions, state, sql, list } = await openWorld(t);
  for (const since of [startMs, startMs + 60_000]) {
    await sql(tx => openAlert(tx, state, down(since, regions), since));
    await sql(tx => resolveAlert(tx, state, since + 30_000, since + 30_000));
  }
  const up = (since: number): VerdictChange => ({ since, verdict: 'up', votes: {}, configVersion: 1 });
  const later = [down(startMs + 60_000, regions), up(startMs + 90_000)];
  const before = [down(startMs, regions), up(startMs + 30_000), ...later];
  const after = [down(startMs - 7000, regions), up(startMs + 20_000), ...later];
  await sql(tx => retimeAlerts(tx, state.monitorId, before, after));
  t.deepEqual(
    (await list()).map(row => [row.started_at - startMs, (row.resolved_at ?? 0) - startMs]),
    [
      [60_000, 90_000],
      [-7000, 20_000],
    ],
  );
  await sql(tx => retimeAlerts(tx, state.monitorId, [], after));
  t.is((await list()).length, 2);
});

test.serial('an alert keeps the labels of its monitor from when it opened, and selectors see those', async t => {
  const { api, patch, regions, state, sql } = await openWorld(t, 1, { labels: { env: 'prod', tier: 'a' } });
  await sql(tx => openAlert(tx, state, down(startMs, regions), startMs));
  await patch(state.monitorId, { labels: { env: 'test' }, name: 'renamed' });
  const count = async (selector: string) =>
    (await api('GET', `/v0/alerts?${new URLSearchParams({ selector })}`)).body.data.length;
  const [alert] = (await api('GET', '/v0/alerts')).body.data;
  t.deepEqual(alert.labels, { env: 'prod', tier: 'a' });
  const cases: [selector: string, count: number][] = [
    ['env=prod, tier', 1],
    ['env=test', 0],
    ['!env', 0],
    ['*', 1],
    [`@id=${state.monitorId}`, 1],
    [`@id=${alert.id}`, 0],
    ['@name=renamed, @kind=http', 1],
  ];
  for (const [selector, expected] of cases) t.is(await count(selector), expected, selector);
  t.is((await api('GET', '/v0/alerts?selector=env%3D')).status, 400);
});
