import test from 'ava';
import { deleteVersionsBefore } from '#control-plane/monitoring/monitors/versions/store.ts';
import { apiOf, createTenant, withSql } from '#test/support/control-plane.ts';
import { createDatabase, useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);
const dayMs = 86_400_000;

test.serial('a deleted monitor is gone from everywhere but its history', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post()).body;
  await insertCheck(id);
  const path = `/v0/monitors/${id}`;
  const gone = await world.api('DELETE', path);
  t.deepEqual([gone.status, gone.body], [204, '']);
  const refused = [
    await world.api('GET', path),
    await world.api('DELETE', path),
    await world.patch(id, { name: 'x' }),
    await world.api('POST', `${path}/pause`),
    await world.api('POST', `${path}/resume`),
  ];
  for (const answer of refused) t.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
  t.deepEqual((await world.api('GET', '/v0/monitors')).body.data, []);
  const checks = await world.api('GET', `${path}/checks`);
  t.deepEqual([checks.status, checks.body.data.length, checks.body.data[0]?.monitor_id], [200, 1, id]);
  t.is((await world.api('GET', `${path}/uptime`)).status, 200);
  const stranger = apiOf(world.url, (await createTenant(databaseOf())).token);
  for (const end of ['checks', 'uptime']) t.is((await stranger('GET', `${path}/${end}`)).status, 404);
});

test.serial(
  'a POST of its name revives it: old id and age, new configuration, a later version, its history',
  async t => {
    const world = await openMonitorWorld(t, databaseOf());
    const old = (
      await world.post({ name: 'phoenix', quorum: 1, timeout_ms: 900, headers: { a: 'old' }, enabled: false })
    ).body;
    await insertCheck(old.id);
    await world.api('DELETE', `/v0/monitors/${old.id}`);
    const versions = await versionsOf(old.id);
    const back = await world.post({
      name: ' phoenix ',
      url: 'https://new.example/',
      regions: world.regions.slice(0, 1),
    });
    t.is(back.status, 201);
    t.is(back.headers.location, `/v0/monitors/${old.id}`);
    const { updated_at, status_since, ...rest } = back.body;
    t.deepEqual(rest, {
      ...world.body,
      id: old.id,
      project_id: world.projectId,
      key: null,
      managed_by: null,
      kind: 'http',
      created_at: old.created_at,
      name: 'phoenix',
      url: 'https://new.example/',
      regions: world.regions.slice(0, 1),
      method: 'GET',
      timeout_ms: 30_000,
      quorum: 1,
      assertions: [],
      headers: {},
      body: null,
      follow_redirects: true,
      auth: null,
      egress: null,
      http_version: '1.1',
      alert_policy: { severity: 'p2', slack_channel: null, escalate_after_minutes: null },
      alert_rules: {
        confirm_seconds: 0,
        recover_seconds: 0,
        flap: null,
        degraded: null,
        certificate: { enabled: true, thresholds: null, in_verdict: false },
        domain: null,
      },
      component_ids: [],
      labels: {},
      enabled: true,
      status: 'pending',
      maintenance: null,
      unable_regions: world.regions.slice(0, 1).map(region => ({ region, reason: 'no_agent', missing: [] })),
      votes: [
        {
          region: world.regions[0],
          vote: 'unknown',
          since: null,
          as_of: null,
          reason: 'no_result',
          partial_addresses: null,
        },
      ],
      config_version: Math.max(...versions) + 1,
      rules_version: 2,
    });
    t.true(updated_at >= old.updated_at && status_since >= old.status_since);
    t.is((await world.api('GET', `/v0/monitors/${old.id}/checks`)).body.data.length, 1);
    t.is((await world.api('GET', '/v0/monitors')).body.data.length, 1);
  },
);

test.serial('a hidden header value does not keep one of the deleted configuration', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post({ name: 'hidden', headers: { a: 'secret' } })).body;
  await world.api('DELETE', `/v0/monitors/${id}`);
  t.deepEqual(faultsOf(await world.post({ name: 'hidden', headers: { a: '********' } })), ['/headers/a not_allowed']);
  t.is((await world.api('GET', `/v0/monitors/${id}`)).status, 404, 'a refused POST revives nothing');
});

test.serial('of concurrent POSTs of the name exactly one revives the monitor, the others create new ones', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  for (let turn = 0; turn < 3; turn++) {
    const name = `race-${turn}`;
    const { id } = (await world.post({ name })).body;
    await world.api('DELETE', `/v0/monitors/${id}`);
    const answers = await Promise.all(Array.from({ length: 12 }, () => world.post({ name })));
    t.true(answers.every(answer => answer.status === 201));
    const ids = answers.map(answer => answer.body.id as string);
    t.is(ids.filter(created => created === id).length, 1);
    t.is(new Set(ids).size, ids.length);
  }
});

test.serial(
  'a POST that runs while the DELETE does gets the old id or a new one, and never two monitors of one id',
  async t => {
    const world = await openMonitorWorld(t, databaseOf());
    for (let turn = 0; turn < 5; turn++) {
      const name = `overlap-${turn}`;
      const { id } = (await world.post({ name })).body;
      const [removed, ...posted] = await Promise.all([
        world.api('DELETE', `/v0/monitors/${id}`),
        ...Array.from({ length: 4 }, () => world.post({ name })),
      ]);
      t.is(removed.status, 204);
      t.true(posted.every(answer => answer.status === 201));
      t.is(new Set(posted.map(answer => answer.body.id)).size, 4);
      const living = (await world.api('GET', '/v0/monitors?limit=200')).body.data.filter(
        (monitor: { name: string }) => monitor.name === name,
      );
      t.is(living.length, 4);
    }
  },
);

test.serial(
  'of several deleted ones the one deleted last is revived first; other names, projects and renames revive none',
  async t => {
    const world = await openMonitorWorld(t, databaseOf());
    const [first, second] = [
      (await world.post({ name: 'twin' })).body.id,
      (await world.post({ name: 'twin' })).body.id,
    ];
    await world.api('DELETE', `/v0/monitors/${second}`);
    await world.api('DELETE', `/v0/monitors/${first}`);
    t.false([first, second].includes((await world.post({ name: 'Twin' })).body.id));
    const stranger = await openMonitorWorld(t, databaseOf());
    t.false([first, second].includes((await stranger.post({ name: 'twin' })).body.id));
    const renamed = (await world.post({ name: 'other' })).body.id;
    t.is((await world.patch(renamed, { name: 'twin' })).body.id, renamed);
    t.is((await world.post({ name: 'twin' })).body.id, first);
    t.is((await world.post({ name: 'twin' })).body.id, second);
    t.false([first, second].includes((await world.post({ name: 'twin' })).body.id));
  },
);

test.serial('it can be deleted and revived again and again', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  let { id, config_version } = (await world.post({ name: 'again' })).body;
  for (let turn = 0; turn < 4; turn++) {
    t.is((await world.api('DELETE', `/v0/monitors/${id}`)).status, 204);
    const back = (await world.post({ name: 'again' })).body;
    t.is(back.id, id);
    t.is(back.config_version, config_version + 1);
    ({ id, config_version } = back);
  }
  t.is(new Set(await versionsOf(id)).size, 9);
});

test.serial('the deletion remains among the versions until the revival is old itself', async t => {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const world = await openMonitorWorld(t, databaseOf(), 3, { now });
  const { id } = (await world.post({ name: 'revived' })).body;
  aheadMs += 5;
  await world.api('DELETE', `/v0/monitors/${id}`);
  aheadMs += 5;
  const betweenMs = now();
  aheadMs += 5;
  await world.post({ name: 'revived' });
  await withSql(databaseOf(), sql => deleteVersionsBefore(sql, betweenMs));
  t.deepEqual((await versionsOf(id)).sort(), [-1, 2]);
  await withSql(databaseOf(), sql => deleteVersionsBefore(sql, now() + 1000));
  t.deepEqual(await versionsOf(id), [2]);
});

test.serial('it can be revived for 30 days, and no longer', async t => {
  let aheadMs = 0;
  // Its own database: a replica in the future would sweep and delete rows of other tests.
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const world = await openMonitorWorld(t, database.url, 3, { now: () => Date.now() + aheadMs });
  const [revived, lost] = [
    (await world.post({ name: 'revived' })).body.id,
    (await world.post({ name: 'lost' })).body.id,
  ];
  for (const id of [revived, lost]) await world.api('DELETE', `/v0/monitors/${id}`);
  aheadMs = 30 * dayMs - 60_000;
  t.is((await world.api('GET', `/v0/monitors/${lost}/checks`)).status, 200);
  t.is((await world.post({ name: 'revived' })).body.id, revived);
  aheadMs = 30 * dayMs + 60_000;
  for (const end of ['checks', 'uptime']) t.is((await world.api('GET', `/v0/monitors/${lost}/${end}`)).status, 404);
  t.not((await world.post({ name: 'lost' })).body.id, lost);
  t.is((await world.api('GET', `/v0/monitors/${revived}`)).status, 200);
});

const emptyDetail = JSON.stringify({
  timings: null,
  error: null,
  assertions: [],
  remote_ip: null,
  bytes: 0,
  truncated: false,
  tls: null,
});

function insertCheck(monitorId: string): Promise<unknown> {
  return withSql(
    databaseOf(),
    sql =>
      sql.run`
        insert into check_results (
          monitor_id, scheduled_at, region, kind, attempt, status, agent_id, config_version, started_at, completed_at,
          received_at, detail
        )
        values (${monitorId}, now(), 'r', 'scheduled', 1, 'ok', 'agt_x', 1, now(), now(), now(), ${emptyDetail})`,
  );
}

function versionsOf(monitorId: string): Promise<number[]> {
  return withSql(databaseOf(), async sql => {
    const rows = await sql.rows<{ config_version: number }>`
      select config_version
      from monitor_versions
      where monitor_id = ${monitorId}`;
    return rows.map(row => row.config_version);
  });
}
