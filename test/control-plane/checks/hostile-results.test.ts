import test, { type ExecutionContext } from 'ava';
import type pg from 'pg';
import type { Edition } from '#control-plane/db/edition.ts';
import { instant } from '#control-plane/db/sql.ts';
import { apiOf, createRegions, createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';

const database = useDatabase(test);

async function openWorld(t: ExecutionContext, regions: readonly string[], body: Record<string, unknown> = {}) {
  const url = database();
  const secrets = await createRegions(url, regions);
  const { token } = await createTenant(url);
  const replica = await startReplica(url);
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, token);
  const monitor = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, timeout_ms: 1000, regions, ...body };
  const made = await api('POST', '/v0/monitors', monitor);
  const connect = (region: string) => connectFakeAgent(replica.url, secrets[region]?.secret ?? '');
  const id = String(made.body.id);
  const status = async () => (await api('GET', `/v0/monitors/${id}`)).body.status as string;
  return { replica, api, id, connect, status };
}

/** Makes a monitor old, so that results of that time count. */
async function backdate(id: string, ageMs: number): Promise<number> {
  const at = Date.now() - ageMs;
  await withSql(database(), async sql => {
    await sql.run('update monitor_versions set at = $2 where monitor_id = $1', [id, instant(at)]);
    await sql.run('update monitor_states set floor = $2, since = $2, sweep_at = $2 where monitor_id = $1', [
      id,
      instant(at),
    ]);
    await sql.run('update verdict_changes set since = $2 where monitor_id = $1', [id, instant(at)]);
  });
  return at;
}

/** The edition this run's database was set up with. */
async function editionOf(pool: pg.Pool): Promise<Edition> {
  const { rows } = await pool.query<{ edition: Edition }>('select edition from storage_edition');
  return rows[0]?.edition ?? 'plain';
}

const changesOf = (id: string) =>
  withSql(database(), sql =>
    sql.rows<{ verdict: string; since: number }>(
      'select verdict, since from verdict_changes where monitor_id = $1 order by since',
      [id],
    ),
  );
const replayed = (id: string) =>
  until(
    () =>
      withSql(database(), sql =>
        sql.row<{ replay_from: number | null }>('select replay_from from monitor_states where monitor_id = $1', [id]),
      ),
    row => row?.replay_from === null,
  );

test('what is not the fault of a result refuses none: a primary that is read-only for a moment', async t => {
  const world = await openWorld(t, ['ro-a']);
  await using agent = await world.connect('ro-a');
  const now = Date.now();
  t.deepEqual(await agent.report([goodResult(world.id, now - 2000)]), []);
  const { ingest } = world.replica.pools;
  const readOnly = async (value: 'on' | 'off') => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => ingest.connect()));
    for (const client of clients) await client.query(`set default_transaction_read_only = ${value}`);
    for (const client of clients) client.release();
  };
  await readOnly('on');
  const reported = agent.report([goodResult(world.id, now - 1000)]);
  await Promise.race([reported, new Promise(resolve => setTimeout(resolve, 1000))]);
  await readOnly('off');
  t.deepEqual(await reported, []);
  t.is((await world.api('GET', `/v0/monitors/${world.id}/checks`)).body.data.length, 2);
});

test('late results that come before any live one fill the gap too', async t => {
  const world = await openWorld(t, ['gap-a']);
  await using agent = await world.connect('gap-a');
  const start = await backdate(world.id, 600_000);
  await until(world.status, value => value === 'undetermined');
  await agent.report(Array.from({ length: 50 }, (_, index) => goodResult(world.id, start + 5000 + index * 10_000)));
  await replayed(world.id);
  await agent.report([goodResult(world.id, Date.now())]);
  t.deepEqual(
    (await changesOf(world.id)).slice(0, 3).map(row => [row.verdict, row.since - start]),
    [
      ['pending', 0],
      ['up', 5000],
      ['undetermined', 495_000 + 23_000],
    ],
  );
});

test('spooled results of an earlier version fill the gap of their time', async t => {
  const world = await openWorld(t, ['old-a']);
  await using agent = await world.connect('old-a');
  const start = await backdate(world.id, 600_000);
  await world.api('PATCH', `/v0/monitors/${world.id}`, { interval_seconds: 20 });
  await agent.report(Array.from({ length: 50 }, (_, index) => goodResult(world.id, start + 5000 + index * 10_000)));
  await agent.report([goodResult(world.id, Date.now(), { config_version: 2 })]);
  await replayed(world.id);
  const { body } = await world.api('GET', `/v0/monitors/${world.id}/uptime?granularity=day`);
  const observed = body.data.reduce((sum: number, one: { observed_seconds: number }) => sum + one.observed_seconds, 0);
  t.true(observed > 450, `${observed} s observed, 500 s were`);
});

test('one region’s clock that runs ahead does not end the votes of the others', async t => {
  const regions = ['ahead-a', 'ahead-b', 'ahead-c'];
  const world = await openWorld(t, regions);
  const now = Date.now();
  await using a = await world.connect('ahead-a');
  await using b = await world.connect('ahead-b');
  await using c = await world.connect('ahead-c');
  await a.report([goodResult(world.id, now)]);
  await b.report([goodResult(world.id, now)]);
  t.is(await world.status(), 'up');
  await c.report([goodResult(world.id, now + 60_000)]);
  t.is(await world.status(), 'up');
});

test('a started_at of nonsense does not rewrite the history', async t => {
  const world = await openWorld(t, ['epoch-a']);
  await using agent = await world.connect('epoch-a');
  const start = await backdate(world.id, 20 * 86_400_000);
  await until(world.status, value => value === 'undetermined');
  await agent.report([goodResult(world.id, Date.now() - 1000)]);
  t.is(await world.status(), 'up');
  // Days of history, as results that were dropped by retention left them.
  await withSql(database(), async sql => {
    await sql.run('delete from verdict_changes where monitor_id = $1', [world.id]);
    await sql.run(
      "insert into verdict_changes select $1, at, project_id, verdict, '{}', 1 from monitors, (values ($2::timestamptz, 'up'), ($3, 'down'), ($4, 'up')) as v (at, verdict) where id = $1",
      [world.id, instant(start), instant(start + 86_400_000), instant(start + 2 * 86_400_000)],
    );
    await sql.run('update monitor_states set since = $2 where monitor_id = $1', [
      world.id,
      instant(start + 2 * 86_400_000),
    ]);
  });
  const before = await changesOf(world.id);
  await agent.report([goodResult(world.id, Date.now() - 40_000, { started_at: 0 })]);
  await replayed(world.id);
  t.deepEqual((await changesOf(world.id)).slice(0, 3), before);
});

test('latency_p95 counts a result that is delivered again once', async t => {
  const assertions = [{ type: 'latency_p95', operator: 'lt', value_ms: 100, window_minutes: 5 }];
  const world = await openWorld(t, ['twice-a'], { assertions });
  await using agent = await world.connect('twice-a');
  const now = Date.now() - 120_000;
  const three = [1, 2, 3].map(index => goodResult(world.id, now + index * 10_000, { latency_ms: 500 }));
  await agent.report(three);
  await agent.report([...three, goodResult(world.id, now + 40_000, { latency_ms: 500 })]);
  const { data } = (await world.api('GET', `/v0/monitors/${world.id}/checks`)).body;
  t.like(data[0], { status: 'ok', assertions: [{ passed: null, skipped: 'too_few_samples' }] });
});

test('a cursor that was tampered with is refused, not an error of ours', async t => {
  const world = await openWorld(t, ['cursor-a']);
  await using agent = await world.connect('cursor-a');
  await agent.report([1, 2, 3].map(index => goodResult(world.id, Date.now() - index * 1000)));
  const path = `/v0/monitors/${world.id}/checks?limit=1`;
  const { next_cursor } = (await world.api('GET', path)).body.pagination;
  const [one, binding, ms] = JSON.parse(Buffer.from(next_cursor, 'base64url').toString());
  const forged = Buffer.from(JSON.stringify([one, binding, ms, 'cursor-a/scheduled/99999'])).toString('base64url');
  t.is((await world.api('GET', `${path}&cursor=${forged}`)).body.code, 'invalid_cursor');
});

test('a monitor id with NUL is malformed like any other and costs no statement', async t => {
  const world = await openWorld(t, ['null-a']);
  await using agent = await world.connect('null-a');
  const queries: string[] = [];
  const original = world.replica.pools.ingest.query;
  world.replica.pools.ingest.query = function counted(this: unknown, ...values: unknown[]) {
    queries.push(String((values[0] as { text?: string }).text));
    return (original as (...all: unknown[]) => unknown).apply(this, values);
  } as typeof original;
  const refused = await agent.report(
    Array.from({ length: 500 }, (_, index) => goodResult(`mon_\u0000${index}`, Date.now())),
  );
  t.is(refused.length, 500);
  t.true(queries.length <= 1, `${queries.length} statements for one message`);
});

test('a long reader of an old partition does not hold up results while retention waits for it', async t => {
  const world = await openWorld(t, ['lock-a']);
  await using agent = await world.connect('lock-a');
  const { openSeries } = await import('#control-plane/db/series.ts');
  const { sqlOf } = await import('#control-plane/db/sql.ts');
  const pool = world.replica.pools.background;
  const series = await openSeries(pool, sqlOf(pool), await editionOf(pool));
  const old = Date.now() - 60 * 86_400_000;
  await series.ensure('check_results', [old]);
  await withSql(database(), sql =>
    sql.run(
      `insert into check_results (monitor_id, scheduled_at, region, kind, attempt, status, agent_id, config_version, started_at, completed_at, received_at, detail)
       values ('m', $1, 'r', 'scheduled', 1, 'ok', 'a', 1, $1, $1, $1, '{}')`,
      [instant(old)],
    ),
  );
  const reader = await pool.connect();
  await reader.query('begin; select count(*) from check_results');
  const dropping = series.dropBefore('check_results', Date.now() - 30 * 86_400_000).catch(() => []);
  await new Promise(resolve => setTimeout(resolve, 300));
  const stored = await Promise.race([
    agent.report([goodResult(world.id, Date.now())]).then(() => 'stored'),
    new Promise(resolve => setTimeout(() => resolve('held up'), 10_000)),
  ]);
  await reader.query('commit');
  reader.release();
  await dropping;
  t.is(stored, 'stored');
});

test('an unresolved alert’s start does not move to a later down row', async t => {
  const { movedTimes } = await import('#control-plane/alerts/move.ts');
  // down@100, undetermined@200, down@300, one alert since 100; a late result at 350 replays from the row in force, down@300.
  const rows = [{ since: 300, verdict: 'down' as const, votes: {}, configVersion: 1 }];
  t.is(movedTimes({ started_at: 100, resolved_at: null }, rows, rows).started_at, 100);
});

test('a transaction that is repeated says each outcome of latency_p95 once', async t => {
  const world = await openWorld(t, ['again-a'], {
    assertions: [{ type: 'latency_p95', operator: 'lt', value_ms: 100 }],
  });
  const { recordResults } = await import('#control-plane/checks/record.ts');
  const { openSeries } = await import('#control-plane/db/series.ts');
  const { sqlOf } = await import('#control-plane/db/sql.ts');
  const pool = world.replica.pools.background;
  let failures = 1;
  const stages = {
    recorded: async () => {
      if (failures-- > 0) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
      return [];
    },
    confirm: async () => {},
  };
  const series = await openSeries(pool, sqlOf(pool), await editionOf(pool));
  const result = {
    seq: 1,
    config_version: 1,
    kind: 'scheduled',
    attempt: 1,
    status: 'ok',
    latency_ms: 5,
    timings: null,
    status_code: 200,
    error: null,
    failure_source: null,
    assertions: [],
    remote_ip: null,
    bytes: 0,
    truncated: false,
    tls: null,
    ...goodResult(world.id, Date.now()),
  };
  await recordResults(
    { pool, series, stages, versions: new Map() },
    [{ result: result as never, agentId: 'agt_1', region: 'again-a' }],
    Date.now(),
  );
  const { data } = (await world.api('GET', `/v0/monitors/${world.id}/checks`)).body;
  t.is(data[0].assertions.length, 1);
});

test('a migration of the versions under a running replica refuses no result', async t => {
  const world = await openWorld(t, ['stale-a']);
  await using agent = await world.connect('stale-a');
  t.deepEqual(await agent.report([goodResult(world.id, Date.now() - 3000)]), []);
  await world.api('PATCH', `/v0/monitors/${world.id}`, { url: 'http://127.0.0.1:2/' });
  await withSql(database(), sql => sql.run('alter table monitor_versions add column added_later integer'));
  t.deepEqual(await agent.report([goodResult(world.id, Date.now() - 2000, { config_version: 2 })]), []);
});
