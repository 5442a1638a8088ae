import test from 'ava';
import { insertAlert } from '#control-plane/monitoring/alerts/store.ts';
import { deleteResultsOf } from '#control-plane/monitoring/checks/purge-monitors.ts';
import { advanceTotals } from '#control-plane/monitoring/checks/roll-up/total-store.ts';
import { instant, type Sql } from '#control-plane/platform/db/sql.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { apiOf, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type MonitorWorld, openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';
import { promtool } from '#test/support/promtool.ts';

const databaseOf = useDatabase(test);
const openMetrics = { accept: 'application/openmetrics-text; version=1.0.0' };

/** Checks of this hour. */
async function currentHour(sql: Sql, id: string, region: string, nowMs: number): Promise<void> {
  const hour = Math.floor(nowMs / hourMs) * hourMs;
  await sql.run`
    insert into checks_hourly (monitor_id, hour, region, ok, warn, err, latency_sum, latency_max, latency_bins)
    values (${id}, ${instant(hour)}, ${region}, 7, 1, 2, 0, 0, '{}')`;
}

/** A monitor that has been up for a day, with a vote of its first region and the check behind it. */
async function createObserved({ post, regions, projectId }: MonitorWorld): Promise<string> {
  const nowMs = Date.now();
  const { id } = (await post({ name: 'Shop "A"', labels: { env: 'prod' } })).body;
  const [region = ''] = regions;
  const vote = {
    vote: 'up',
    since: nowMs,
    as_of: nowMs,
    expires_at: nowMs + dayMs,
    failing_since: null,
    judged_at: nowMs,
  };
  await withSql(databaseOf(), async sql => {
    await sql.run`
      update monitor_states
      set verdict = 'up', since = ${instant(nowMs - dayMs)}, votes = ${JSON.stringify({ [region]: vote })}
      where monitor_id = ${id}`;
    await sql.run`
      update verdict_changes
      set since = ${instant(nowMs - dayMs)}, verdict = 'up'
      where monitor_id = ${id}`;
    await sql.run`
      insert into check_results (
        monitor_id, scheduled_at, region, kind, attempt, status, agent_id, config_version, started_at, completed_at,
        received_at, latency_ms, status_code, detail
      )
      values (
        ${id}, ${instant(nowMs - 300)}, ${region}, 'scheduled', 1, 'ok', 'agt_1', 1, ${instant(nowMs - 290)},
        ${instant(nowMs)}, ${instant(nowMs)}, 250, 200, '{"tls":{"valid_to":"2027-01-01T00:00:00.000Z"}}'
      )`;
    await currentHour(sql, id, region, nowMs);
    await sql.run`
      insert into check_failures (monitor_id, region, reason, failures)
      values (${id}, ${region}, 'timeout', 2)`;
    const alert = {
      projectId,
      monitorId: id,
      title: 'down',
      severity: 'p1',
      regionsFailing: [],
      regions: [],
      quorum: 1,
    };
    const reason = { summary: '', region: null, expected: null, actual: null, status_code: null, error_code: null };
    const opened = { kind: 'down' as const, rulesVersion: 1, openedAt: nowMs, startedAt: nowMs };
    await insertAlert(sql, { ...alert, reason, labels: {}, ...opened }, nowMs);
  });
  return id;
}

test.serial('the state of monitors is scraped in both formats, and promtool finds nothing to say', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const id = await createObserved(world);
  const idle = (await world.post({ name: 'idle', enabled: false })).body.id;
  const reader = await world.apiWith(['monitors:read']);
  const text = await reader('GET', '/v0/metrics');
  t.is(text.status, 200);
  t.is(text.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  t.deepEqual(promtool(['check', 'metrics'], text.body), { code: 0, output: '' });
  const [region = ''] = world.regions;
  for (const line of [
    `upquorum_monitor_info{monitor_id="${id}",name="Shop \\"A\\"",kind="http",label_env="prod"} 1`,
    `upquorum_monitor_up{monitor_id="${id}"} 1`,
    `upquorum_monitor_status{monitor_id="${idle}",status="paused"} 1`,
    `upquorum_monitor_vote{monitor_id="${id}",region="${region}",vote="up"} 1`,
    `upquorum_monitor_latency_seconds{monitor_id="${id}",region="${region}"} 0.25`,
    `upquorum_monitor_certificate_expiry_timestamp_seconds{monitor_id="${id}"} ${Date.UTC(2027) / 1000}`,
    `upquorum_monitor_checks_total{monitor_id="${id}",region="${region}",status="err"} 2`,
    `upquorum_monitor_failures_total{monitor_id="${id}",region="${region}",reason="timeout"} 2`,
    `upquorum_monitor_checks_total{monitor_id="${idle}",region="${region}",status="ok"} 0`,
    `upquorum_monitor_uptime_ratio{monitor_id="${id}",window="30d"} 1`,
    `upquorum_monitor_alerts_open{monitor_id="${id}",kind="down",severity="p1",state="open",held="false"} 1`,
    `upquorum_region_agents{region="${region}",state="offline"} 1`,
  ])
    t.true(text.body.includes(`${line}\n`), line);
  t.false(text.body.includes(`upquorum_monitor_up{monitor_id="${idle}"}`));
  const open = await reader('GET', '/v0/metrics', undefined, openMetrics);
  t.is(open.headers['content-type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8');
  t.true(open.body.includes('# TYPE upquorum_monitor info\nupquorum_monitor_info{'));
  t.true(open.body.includes('# TYPE upquorum_monitor_checks counter\nupquorum_monitor_checks_total{'));
  t.true(open.body.endsWith('\n# EOF\n'));
});

test.serial('checks of days that are over go on counting, and deletion ends them with the monitor', async t => {
  let nowMs = Date.now();
  const world = await openMonitorWorld(t, databaseOf(), 3, { now: () => nowMs });
  const { id } = (await world.post()).body;
  const [region = ''] = world.regions;
  const scrape = async () => {
    const { body } = await world.api('GET', '/v0/metrics');
    return /checks_total{.*status="ok"} (.*)/.exec(String(body))?.[1];
  };
  await withSql(databaseOf(), sql => currentHour(sql, id, region, nowMs));
  t.is(await scrape(), '7');
  nowMs += 3 * dayMs;
  t.is(await scrape(), '7', 'midnight is over');
  await withSql(databaseOf(), async sql => {
    t.true((await advanceTotals(sql, nowMs)) >= 1);
    // Rows that a timer of another replica has are left out once.
    t.is(await until(() => advanceTotals(sql, nowMs), 0), 0, 'all days are summed up');
  });
  nowMs += 60_000;
  t.is(await scrape(), '7');
  await withSql(databaseOf(), sql => deleteResultsOf(sql, [id]));
  nowMs += 60_000;
  t.is(await scrape(), '0');
});

test.serial('channels are shown to a token that may read them', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const config = { url: 'https://hooks.example.com/a' };
  const { id } = (await world.api('POST', '/v0/channels', { name: 'Ops', type: 'webhook', config })).body;
  const read = async (scopes: readonly string[]) => {
    const { body } = await (await world.apiWith(scopes))('GET', '/v0/metrics');
    return /upquorum_channel_failing{.*/.exec(String(body))?.[0];
  };
  const line = (value: number) => `upquorum_channel_failing{channel_id="${id}",name="Ops",type="webhook"} ${value}`;
  t.is(await read(['monitors:read']), undefined);
  await withSql(databaseOf(), sql => sql.run`update channels set failing_since = now() where id = ${id}`);
  t.is(await read(['monitors:read', 'channels:read']), line(1));
});

test.serial('a selector limits the scrape to what matches, and each project sees its own monitors', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const chosen = (await world.post({ name: 'a', labels: { env: 'prod' } })).body.id;
  const other = (await world.post({ name: 'b' })).body.id;
  const foreign = (await (await openMonitorWorld(t, databaseOf())).post()).body.id;
  const selected = (await world.api('GET', '/v0/metrics?selector=env=prod')).body;
  const all = (await world.api('GET', '/v0/metrics')).body;
  const sees = (text: string) => [chosen, other, foreign].map(id => text.includes(id));
  t.deepEqual(
    [sees(selected), sees(all)],
    [
      [true, false, false],
      [true, true, false],
    ],
  );
  t.deepEqual(faultsOf(await world.api('GET', '/v0/metrics?selector=env%3D')), ['selector format']);
  t.is((await (await world.apiWith(['alerts:read']))('GET', '/v0/metrics')).status, 403);
});

test.serial('uptime is summed over what a quorum observed in each window', async t => {
  const nowMs = Math.floor(Date.now());
  const world = await openMonitorWorld(t, databaseOf(), 3, { now: () => nowMs });
  const observe = async (changes: readonly (readonly [number, string])[]) => {
    const { id } = (await world.post()).body;
    await withSql(databaseOf(), async sql => {
      await sql.run`delete from verdict_changes where monitor_id = ${id}`;
      for (const [agoMs, verdict] of changes)
        await sql.run`
          insert into verdict_changes (monitor_id, project_id, since, verdict, votes, config_version)
          values (${id}, ${world.projectId}, ${instant(nowMs - agoMs)}, ${verdict}, '{}', 1)`;
    });
    return id;
  };
  const mixed = await observe([
    [40 * dayMs, 'up'],
    [35 * dayMs, 'paused'],
    [2 * dayMs, 'down'],
    [18 * hourMs, 'undetermined'],
    [12 * hourMs, 'degraded'],
  ]);
  const old = await observe([[40 * dayMs, 'up']]);
  const down = await observe([[hourMs, 'down']]);
  await observe([[hourMs, 'pending']]);
  const { body } = await world.api('GET', '/v0/metrics');
  const found = [...String(body).matchAll(/uptime_ratio{monitor_id="(.*)",window="(.*)"} (.*)/g)];
  const share = 12 / (30 + 12);
  t.deepEqual(
    new Map(found.map(([, id, window, value]) => [`${id} ${window}`, Number(Number(value).toFixed(9))])),
    new Map([
      [`${mixed} 1d`, Number((12 / 18).toFixed(9))],
      [`${mixed} 7d`, Number(share.toFixed(9))],
      [`${mixed} 30d`, Number(share.toFixed(9))],
      ...[old, down].flatMap(id => ['1d', '7d', '30d'].map(window => [`${id} ${window}`, id === old ? 1 : 0] as const)),
    ]),
  );
});

test.serial('a scrape is repeated for ten seconds', async t => {
  let nowMs = Date.now();
  const world = await openMonitorWorld(t, databaseOf(), 3, { now: () => nowMs });
  const scrape = async () => (await world.api('GET', '/v0/metrics')).body as string;
  const first = await scrape();
  const { id } = (await world.post()).body;
  t.is(await scrape(), first);
  nowMs += 10_000;
  t.true((await scrape()).includes(id));
});

test.serial('a scrape costs ten requests', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const slow = await startReplica(databaseOf(), { rateLimitPerMinute: 1, rateLimitBurst: 15 });
  t.teardown(() => slow.stop());
  const { token } = (await world.api('POST', '/v0/tokens', { name: 'a', scopes: ['monitors:read'] })).body;
  const api = apiOf(slow.url, token);
  const statuses = [];
  for (let turn = 0; turn < 2; turn++) statuses.push((await api('GET', '/v0/metrics')).status);
  t.deepEqual(statuses, [200, 429]);
  t.is((await api('GET', '/v0/monitors')).status, 200, 'the refused one cost one');
});

/** Copies the project's monitor; its id has another length. */
function copyMonitor(projectId: string, from: number, to: number) {
  return withSql(
    databaseOf(),
    sql => sql.run`
      insert into monitors (
        id, project_id, name, url, method, interval_seconds, regions, assertions, sealed_headers, follow_redirects,
        alert_policy, enabled, config_version, configured_at, created_at, updated_at, deleted_at
      )
      select m.id || n, m.project_id, m.name, m.url, m.method, m.interval_seconds, m.regions, m.assertions,
        m.sealed_headers, m.follow_redirects, m.alert_policy, m.enabled, m.config_version, m.configured_at,
        m.created_at, m.updated_at, m.deleted_at
      from monitors m, generate_series(${from}::integer, ${to}::integer) as n
      where m.project_id = ${projectId} and length(m.id) = 30`,
  );
}

test.serial('a large scrape costs more than ten requests, and one that is repeated does not', async t => {
  const { api, post, projectId } = await openMonitorWorld(t, databaseOf());
  await post();
  await copyMonitor(projectId, 1, 499);
  const slow = await startReplica(databaseOf(), { rateLimitPerMinute: 1, rateLimitBurst: 27 });
  t.teardown(() => slow.stop());
  const { token } = (await api('POST', '/v0/tokens', { name: 'a', scopes: ['monitors:read'] })).body;
  const scrape = apiOf(slow.url, token);
  t.is((await scrape('GET', '/v0/metrics')).status, 200);
  t.is((await scrape('GET', '/v0/metrics?selector=*')).status, 429, '1,500 regions: 16 requests, and 11 are left');
  t.is((await scrape('GET', '/v0/metrics')).status, 200, 'repeated: 10 requests');
});

test.serial('monitors with more than 25,000 regions together are refused', async t => {
  const { api, post, projectId } = await openMonitorWorld(t, databaseOf());
  await post();
  await copyMonitor(projectId, 1, 1);
  const setRegions = (count: number) =>
    withSql(
      databaseOf(),
      sql => sql.run`
        update monitors
        set regions = array_fill('r'::text, array[${count}::integer])
        where project_id = ${projectId}`,
    );
  await setRegions(12_500);
  t.is((await api('GET', '/v0/metrics')).status, 200);
  await setRegions(12_501);
  const refused = await api('GET', '/v0/metrics?selector=*');
  t.deepEqual([refused.status, faultsOf(refused)], [400, ['selector out_of_range']]);
});

test.serial('more than 5,000 monitors are refused', async t => {
  const { api, post, projectId } = await openMonitorWorld(t, databaseOf());
  await post();
  await copyMonitor(projectId, 1, 4999);
  t.is((await api('GET', '/v0/metrics')).status, 200);
  await copyMonitor(projectId, 5000, 5000);
  const refused = await api('GET', '/v0/metrics?selector=*');
  t.deepEqual([refused.status, faultsOf(refused)], [400, ['selector out_of_range']]);
  t.is((await api('GET', '/v0/metrics?selector=none')).status, 200);
});
