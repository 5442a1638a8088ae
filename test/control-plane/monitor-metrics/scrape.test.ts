import test from 'ava';
import { insertAlert } from '#control-plane/alerts/store.ts';
import { instant } from '#control-plane/db/sql.ts';
import { dayMs } from '#shared/duration.ts';
import { apiOf, startReplica, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type MonitorWorld, openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';
import { promtool } from '#test/support/promtool.ts';

const databaseOf = useDatabase(test);
const openMetrics = { accept: 'application/openmetrics-text; version=1.0.0' };

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
        ${instant(nowMs)}, ${instant(nowMs)}, 250, 200, '{}'
      )`;
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
    await insertAlert(sql, { ...alert, reason, labels: {}, startedAt: nowMs }, nowMs);
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
  t.deepEqual(promtool(['metrics'], text.body), { code: 0, output: '' });
  const [region = ''] = world.regions;
  for (const line of [
    `upquorum_monitor_info{monitor_id="${id}",name="Shop \\"A\\"",kind="http",label_env="prod"} 1`,
    `upquorum_monitor_up{monitor_id="${id}"} 1`,
    `upquorum_monitor_status{monitor_id="${idle}",status="paused"} 1`,
    `upquorum_monitor_vote{monitor_id="${id}",region="${region}",vote="up"} 1`,
    `upquorum_monitor_latency_seconds{monitor_id="${id}",region="${region}"} 0.25`,
    `upquorum_monitor_uptime_ratio{monitor_id="${id}",window="30d"} 1`,
    `upquorum_monitor_alerts_open{monitor_id="${id}",kind="down",severity="p1",state="open",held="false"} 1`,
    `upquorum_region_agents{region="${region}",state="offline"} 1`,
  ])
    t.true(text.body.includes(`${line}\n`), line);
  t.false(text.body.includes(`upquorum_monitor_up{monitor_id="${idle}"}`));
  const open = await reader('GET', '/v0/metrics', undefined, openMetrics);
  t.is(open.headers['content-type'], 'application/openmetrics-text; version=1.0.0; charset=utf-8');
  t.true(open.body.includes('# TYPE upquorum_monitor info\nupquorum_monitor_info{'));
  t.true(open.body.endsWith('\n# EOF\n'));
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

test.serial('more than 5,000 monitors are refused', async t => {
  const { api, post, projectId } = await openMonitorWorld(t, databaseOf());
  await post();
  const copy = (from: number, to: number) =>
    withSql(
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
  await copy(1, 4999);
  t.is((await api('GET', '/v0/metrics')).status, 200);
  await copy(5000, 5000);
  const refused = await api('GET', '/v0/metrics?selector=*');
  t.deepEqual([refused.status, faultsOf(refused)], [400, ['selector out_of_range']]);
  t.is((await api('GET', '/v0/metrics?selector=none')).status, 200);
});
