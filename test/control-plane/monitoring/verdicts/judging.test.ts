import test, { type ExecutionContext } from 'ava';
import { apiOf, createRegions, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { badResults, connectFakeAgent, type FakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { sharedPair } from '#test/support/shared-replica.ts';

const database = useDatabase(test);

type World = Awaited<ReturnType<typeof openWorld>>;

async function openWorld(t: ExecutionContext, name: string, monitors = 1, body: Record<string, unknown> = {}) {
  const regions = ['x', 'y', 'z'].map(letter => `${name}-${letter}`);
  const secrets = await createRegions(database(), regions);
  const { token } = await createTenant(database());
  const replicas = await sharedPair(database());
  const api = apiOf(replicas[0].url, token);
  const ids: string[] = [];
  for (let index = 0; index < monitors; index++) {
    const made = await api('POST', '/v0/monitors', {
      name: `${name} ${index}`,
      url: `http://127.0.0.${index + 1}:1/`,
      interval_seconds: 10,
      timeout_ms: 1000,
      regions,
      ...body,
    });
    ids.push(made.body.id);
  }
  const agents: FakeAgent[] = [];
  t.teardown(() => Promise.all(agents.map(agent => agent[Symbol.asyncDispose]())));
  for (const [index, region] of regions.entries())
    agents.push(await connectFakeAgent(replicas[index % 2]?.url ?? '', secrets[region]?.secret ?? ''));
  await backdate(ids);
  return { api, replicas, agents, ids, id: ids[0] ?? '', regions };
}

/** Makes monitors ten minutes old, so that results of the last minutes count. */
async function backdate(ids: readonly string[]): Promise<void> {
  const created = new Date(Date.now() - ageMs).toISOString();
  await withSql(database(), async sql => {
    await sql.run`update monitor_versions set at = ${created} where monitor_id = any(${ids}::text[])`;
    await sql.run`
      update monitor_states
      set floor = ${created}, since = ${created}, sweep_at = ${created}
      where monitor_id = any(${ids}::text[])`;
    await sql.run`update verdict_changes set since = ${created} where monitor_id = any(${ids}::text[])`;
  });
}

const ageMs = 600_000;

const status = async (world: World, id = world.id) =>
  (await world.api('GET', `/v0/monitors/${id}`)).body.status as string;

test.serial(
  'first failures of all regions in simultaneous transactions of two replicas open exactly one alert',
  async t => {
    // Votes that last, also where a machine takes long for these.
    const world = await openWorld(t, 'race', 12, { interval_seconds: 300 });
    const now = Date.now();
    await Promise.all(world.agents.map(agent => agent.report(world.ids.map(id => goodResult(id, now - 12_000)))));
    await Promise.all(world.agents.map(agent => agent.report(world.ids.flatMap(id => badResults(id, now - 2000)))));
    for (const id of world.ids) t.is(await status(world, id), 'down');
    const alerts = await world.api('GET', '/v0/alerts?limit=200');
    t.deepEqual(alerts.body.data.map((alert: { monitor_id: string }) => alert.monitor_id).sort(), world.ids.toSorted());
    t.like(alerts.body.data[0], { state: 'open', quorum: 2, started_at: new Date(now - 2000).toISOString() });
    t.like(alerts.body.data[0].reason, { error_code: 'connect_refused', summary: 'connection refused' });
    const { project_id } = alerts.body.data[0];
    const opened = await withSql(
      database(),
      sql => sql.rows`select 1 from facts where kind = 'alert.opened' and project_id = ${project_id}`,
    );
    t.is(opened.length, 12);
  },
);

test.serial('a first failure makes the other regions check immediately, also on another replica', async t => {
  const world = await openWorld(t, 'confirm');
  const asked = (agent: FakeAgent | undefined) => agent?.messages.filter(message => message.type === 'check_now') ?? [];
  await until(() => world.agents.map(agent => asked(agent).length), [1, 1, 1]);
  await Promise.all(world.agents.map(agent => agent.report([goodResult(world.id, Date.now() - 1000)])));
  await world.agents[0]?.report(badResults(world.id, Date.now()).slice(0, 1));
  await until(() => world.agents.map(agent => asked(agent).length), [1, 2, 2]);
  t.is(await status(world), 'up');
});

test.serial('late results fill the gap in the history, and neither open nor resolve an alert', async t => {
  const world = await openWorld(t, 'late');
  const [{ since: start = 0 } = {}] = await withSql(
    database(),
    sql => sql.rows<{ since: number }>`select at as since from monitor_versions where monitor_id = ${world.id}`,
  );
  const now = Date.now();
  await Promise.all(world.agents.map(agent => agent.report([goodResult(world.id, now)])));
  t.is(await status(world), 'up');
  const gap = Array.from({ length: 59 }, (_, index) => start + 5000 + index * 10_000);
  const outage = (at: number) => at > start + 200_000 && at < start + 300_000;
  await Promise.all(
    world.agents.map(agent =>
      agent.report(gap.flatMap(at => (outage(at) ? badResults(world.id, at) : [goodResult(world.id, at)]))),
    ),
  );
  const changes = await until(
    () =>
      withSql(
        database(),
        sql =>
          sql.rows<{
            verdict: string;
            since: number;
          }>`select verdict, since from verdict_changes where monitor_id = ${world.id} order by since`,
      ),
    rows => rows.length >= 4,
  );
  t.deepEqual(
    changes.map(row => [row.verdict, row.since - start]),
    [
      ['pending', 0],
      ['up', 5000],
      ['down', 205_000],
      ['up', 305_000],
    ],
  );
  t.is((await world.api('GET', '/v0/alerts')).body.data.length, 0);
  const uptime = await world.api('GET', `/v0/monitors/${world.id}/uptime?granularity=hour`);
  const down = uptime.body.data.reduce((sum: number, bucket: { down_seconds: number }) => sum + bucket.down_seconds, 0);
  t.is(down, 100);
});

test.serial('one region failing by itself is only its vote', async t => {
  const world = await openWorld(t, 'single');
  const now = Date.now();
  await Promise.all(world.agents.map(agent => agent.report([goodResult(world.id, now - 12_000)])));
  await world.agents[0]?.report(badResults(world.id, now - 2000));
  const { body } = await world.api('GET', `/v0/monitors/${world.id}`);
  t.is(body.status, 'up');
  t.deepEqual(
    body.votes.map((vote: { vote: string }) => vote.vote),
    ['down', 'up', 'up'],
  );
  t.is((await world.api('GET', '/v0/alerts')).body.data.length, 0);
});

test.serial(
  'a region where only one project’s monitors fail is quarantined for that project, once, and returns when it agrees',
  async t => {
    const world = await openWorld(t, 'fault', 24, { quorum: 1 });
    const [alone, ...others] = world.agents;
    const { token } = await createTenant(database());
    const stranger = apiOf(world.replicas[0].url, token);
    const settings = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, timeout_ms: 1000, quorum: 1 };
    const { body: theirs } = await stranger('POST', '/v0/monitors', { ...settings, regions: world.regions });
    await withSql(
      database(),
      sql => sql.run`
        update monitors
        set created_at = created_at - interval '2 hours'
        where id = any(${world.ids}::text[])`,
    );
    const now = Date.now();
    await Promise.all(others.map(agent => agent.report(world.ids.map(id => goodResult(id, now - 2000)))));
    await alone?.report(world.ids.flatMap(id => badResults(id, now - 1500)));
    t.is(await status(world), 'down');
    const faults = () =>
      withSql(
        database(),
        sql => sql.rows<{ kind: string }>`select kind from facts where subject = 'fault-x' order by id`,
      );
    await until(faults, [{ kind: 'region.quarantined' }]);
    await until(() => status(world), 'undetermined');
    await alone?.report(badResults(theirs.id, Date.now()));
    t.is((await stranger('GET', `/v0/monitors/${theirs.id}`)).body.status, 'down', 'the votes of others still count');
    // Again as long as it takes: votes run out on a busy machine.
    let agreedAt = 0;
    const agree = async () => {
      if (Date.now() - agreedAt < 2000) return;
      agreedAt = Date.now();
      await Promise.all(world.agents.map(agent => agent.report(world.ids.map(id => goodResult(id, agreedAt)))));
    };
    await until(() => agree().then(faults), [{ kind: 'region.quarantined' }, { kind: 'region.returned' }]);
    await until(() => agree().then(() => status(world)), 'up');
    await until(async () => (await world.api('GET', '/v0/alerts?state=open')).body.data, []);
  },
);

test.serial(
  'an acknowledged alert does not escalate, another one does once, and both resolve with the verdict',
  async t => {
    const world = await openWorld(t, 'escalate', 2, { alert_policy: { severity: 'p1', escalate_after_minutes: 1 } });
    const now = Date.now();
    await Promise.all(world.agents.map(agent => agent.report(world.ids.flatMap(id => badResults(id, now - 2000)))));
    const alerts = (await world.api('GET', '/v0/alerts?severity=p1')).body.data as { id: string; monitor_id: string }[];
    t.is(alerts.length, 2);
    const [mine, other] = [
      alerts.find(alert => alert.monitor_id === world.ids[0]),
      alerts.find(alert => alert.monitor_id === world.ids[1]),
    ];
    t.is((await world.api('POST', `/v0/alerts/${mine?.id}/acknowledge`)).body.state, 'acknowledged');
    t.is((await world.api('POST', `/v0/alerts/${mine?.id}/acknowledge`)).status, 200);
    const ids = alerts.map(alert => alert.id);
    await withSql(
      database(),
      sql => sql.run`
      update alerts
      set started_at = started_at - interval '2 minutes'
      where id = any(${ids}::text[])`,
    );
    await until(
      async () => (await world.api('GET', `/v0/alerts/${other?.id}`)).body.escalated_at,
      value => value !== null,
    );
    t.is((await world.api('GET', `/v0/alerts/${mine?.id}`)).body.escalated_at, null);
    await Promise.all(world.agents.map(agent => agent.report(world.ids.map(id => goodResult(id, Date.now())))));
    const resolved = await world.api('GET', `/v0/alerts/${other?.id}`);
    t.is(resolved.body.state, 'resolved');
    t.is((await world.api('POST', `/v0/alerts/${other?.id}/acknowledge`)).body.code, 'alert_resolved');
    const escalations = await withSql(
      database(),
      sql => sql.rows`select 1 from facts where kind = 'alert.escalated' and subject = any(${ids}::text[])`,
    );
    t.is(escalations.length, 1);
  },
);

test.serial('a change of quorum judges the existing votes in the same transaction', async t => {
  const world = await openWorld(t, 'quorum');
  const now = Date.now();
  await world.agents[0]?.report(badResults(world.id, now - 2000));
  await Promise.all(world.agents.slice(1).map(agent => agent.report([goodResult(world.id, now - 1000)])));
  t.is(await status(world), 'up');
  const patched = await world.api('PATCH', `/v0/monitors/${world.id}`, { quorum: 1 });
  t.is(patched.body.status, 'down');
  const [alert] = (await world.api('GET', '/v0/alerts')).body.data;
  t.is(alert.started_at, patched.body.status_since);
  t.is((await world.api('PATCH', `/v0/monitors/${world.id}`, { quorum: 2 })).body.status, 'up');
});

test.serial('a failure of before the end of a quarantine, stored after it, counts from the end on', async t => {
  const world = await openWorld(t, 'muted');
  const now = Date.now();
  const [region = ''] = world.regions;
  const [endedAt, since] = [now - 3000, now - 60_000].map(ms => new Date(ms).toISOString());
  await withSql(
    database(),
    sql => sql.run`
      insert into region_faults (region, project_id, since, until)
      values (${region}, null, ${since ?? ''}, ${endedAt ?? ''})`,
  );
  await Promise.all(world.agents.map(agent => agent.report([goodResult(world.id, now - 20_000)])));
  for (const agent of world.agents.slice(0, 2)) await agent.report(badResults(world.id, now - 8000));
  await until(
    () =>
      withSql(
        database(),
        sql => sql.rows`
          select since
          from verdict_changes
          where monitor_id = ${world.id} and verdict = 'down'`,
      ),
    [{ since: now - 3000 }],
  );
  t.is(await status(world), 'down');
});
