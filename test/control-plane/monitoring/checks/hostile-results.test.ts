import test, { type ExecutionContext } from 'ava';
import type pg from 'pg';
import type { RunningControlPlane } from '#control-plane/control-plane.ts';
import type { CheckHooks } from '#control-plane/monitoring/checks/hooks.ts';
import { AskedChecks } from '#control-plane/monitoring/checks/intake/asked-checks.ts';
import { ExpiringSet } from '#control-plane/monitoring/checks/intake/expiring-set.ts';
import { VersionBook } from '#control-plane/monitoring/checks/intake/version-book.ts';
import { TemplateDictionary } from '#control-plane/monitoring/checks/storage/template-dictionary.ts';
import { StateCache } from '#control-plane/monitoring/monitors/state/state-cache.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { instant } from '#control-plane/platform/db/sql.ts';
import { apiOf, createRegions, createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { patienceMs } from '#test/support/patience.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const database = useDatabase(test);

type Monitor = Record<string, unknown>;

/** A monitor on the replica of all tests. */
const openWorld = async (regions: readonly string[], body: Monitor = {}) =>
  openWorldOn(await sharedReplica(database()), regions, body);

/** A monitor on a replica of the test's own, with pools that it may change. */
async function openOwnWorld(t: ExecutionContext, regions: readonly string[]) {
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  return openWorldOn(replica, regions, {});
}

async function openWorldOn(replica: RunningControlPlane, regions: readonly string[], body: Monitor) {
  const secrets = await createRegions(database(), regions);
  const { token } = await createTenant(database());
  const api = apiOf(replica.url, token);
  const monitor = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, timeout_ms: 1000, regions, ...body };
  const made = await api('POST', '/v0/monitors', monitor);
  const connect = (region: string) => connectFakeAgent(replica.url, secrets[region]?.secret ?? '');
  const id = String(made.body.id);
  const status = async () => (await api('GET', `/v0/monitors/${id}`)).body.status as string;
  return { replica, api, id, connect, status };
}

/** Backdates a monitor, so that results of that time count. Returns its new start. */
async function backdate(id: string, ageMs: number): Promise<number> {
  const at = Date.now() - ageMs;
  await withSql(database(), async sql => {
    await sql.run`update monitor_versions set at = ${instant(at)} where monitor_id = ${id}`;
    await sql.run`
      update monitor_states
      set floor = ${instant(at)}, since = ${instant(at)}, sweep_at = ${instant(at)}
      where monitor_id = ${id}`;
    await sql.run`update verdict_changes set since = ${instant(at)} where monitor_id = ${id}`;
  });
  return at;
}

/** The edition this run's database was set up with. */
async function editionOf(pool: pg.Pool): Promise<Edition> {
  const { rows } = await pool.query<{ edition: Edition }>('select edition from storage_edition');
  return rows[0]?.edition ?? 'plain';
}

const changesOf = (id: string) =>
  withSql(
    database(),
    sql => sql.rows<{ verdict: string; since: number }>`
      select verdict, since
      from verdict_changes
      where monitor_id = ${id}
      order by since`,
  );
const replayed = (id: string) =>
  until(() => withSql(database(), sql => sql.row`select replay_from from monitor_states where monitor_id = ${id}`), {
    replay_from: null,
  });

/** Replaces the connections of a pool; its new ones get these settings. */
async function reconnect(pool: pg.Pool, options: string): Promise<void> {
  pool.options.options = options;
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  for (const client of clients) client.release(true);
}

test('a server that was made read-only refuses no result, and a connection to it is not used again', async t => {
  const world = await openOwnWorld(t, ['ro-a']);
  await using agent = await world.connect('ro-a');
  const now = Date.now();
  t.deepEqual(await agent.report([goodResult(world.id, now - 2000)]), []);
  const { ingest } = world.replica.pools;
  const writable = ingest.options.options ?? '';
  await reconnect(ingest, `${writable} -c default_transaction_read_only=on`);
  let connections = 0;
  ingest.on('connect', () => {
    connections += 1;
  });
  const reported = agent.report([goodResult(world.id, now - 1000)]);
  await until(
    () => connections,
    count => count >= 3,
  );
  ingest.options.options = writable;
  t.deepEqual(await reported, []);
  t.is((await world.api('GET', `/v0/monitors/${world.id}/checks`)).body.data.length, 2);
});

test('late results that arrive before any live one fill the gap too', async t => {
  const world = await openWorld(['gap-a']);
  await using agent = await world.connect('gap-a');
  const start = await backdate(world.id, 600_000);
  await until(world.status, 'undetermined');
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
  const world = await openWorld(['old-a']);
  await using agent = await world.connect('old-a');
  const start = await backdate(world.id, 600_000);
  await world.api('PATCH', `/v0/monitors/${world.id}`, { interval_seconds: 20 });
  await agent.report(Array.from({ length: 50 }, (_, index) => goodResult(world.id, start + 5000 + index * 10_000)));
  await agent.report([goodResult(world.id, Date.now(), { config_version: 2 })]);
  await replayed(world.id);
  const { body } = await world.api('GET', `/v0/monitors/${world.id}/uptime?granularity=day`);
  const observed = body.data.reduce(
    (sum: number, bucket: { observed_seconds: number }) => sum + bucket.observed_seconds,
    0,
  );
  t.true(observed > 450, `${observed} s observed, 500 s were`);
});

test('one region’s clock that runs ahead does not end the votes of the others', async t => {
  const regions = ['ahead-a', 'ahead-b', 'ahead-c'];
  const world = await openWorld(regions);
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

test('a nonsensical started_at does not rewrite the history', async t => {
  const world = await openWorld(['epoch-a']);
  await using agent = await world.connect('epoch-a');
  const start = await backdate(world.id, 20 * 86_400_000);
  await until(world.status, 'undetermined');
  await agent.report([goodResult(world.id, Date.now() - 1000)]);
  t.is(await world.status(), 'up');
  // Days of history whose results retention has deleted.
  await withSql(database(), async sql => {
    await sql.run`delete from verdict_changes where monitor_id = ${world.id}`;
    await sql.run`
      insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
      select id, at, project_id, verdict, '{}', 1
      from monitors, (
        values
          (${instant(start)}::timestamptz, 'up'),
          (${instant(start + 86_400_000)}, 'down'),
          (${instant(start + 2 * 86_400_000)}, 'up')
      ) as change (at, verdict)
      where id = ${world.id}`;
    await sql.run`update monitor_states set since = ${instant(start + 2 * 86_400_000)} where monitor_id = ${world.id}`;
  });
  const before = await changesOf(world.id);
  await agent.report([goodResult(world.id, Date.now() - 40_000, { started_at: 0 })]);
  await replayed(world.id);
  t.deepEqual((await changesOf(world.id)).slice(0, 3), before);
});

test('latency_p95 counts a result that is delivered again once', async t => {
  const assertions = [{ type: 'latency_p95', operator: 'lt', value_ms: 100, window_minutes: 5 }];
  const world = await openWorld(['twice-a'], { assertions });
  await using agent = await world.connect('twice-a');
  const now = Date.now() - 120_000;
  const three = [1, 2, 3].map(index => goodResult(world.id, now + index * 10_000, { latency_ms: 500 }));
  await agent.report(three);
  await agent.report([...three, goodResult(world.id, now + 40_000, { latency_ms: 500 })]);
  const { data } = (await world.api('GET', `/v0/monitors/${world.id}/checks`)).body;
  t.like(data[0], { status: 'ok', assertions: [{ passed: null, skipped: 'too_few_samples' }] });
});

test('a cursor that was tampered with is refused as invalid_cursor', async t => {
  const world = await openWorld(['cursor-a']);
  await using agent = await world.connect('cursor-a');
  await agent.report([1, 2, 3].map(index => goodResult(world.id, Date.now() - index * 1000)));
  const path = `/v0/monitors/${world.id}/checks?limit=1`;
  const { next_cursor } = (await world.api('GET', path)).body.pagination;
  const [version, binding, ms] = JSON.parse(Buffer.from(next_cursor, 'base64url').toString());
  const forged = Buffer.from(JSON.stringify([version, binding, ms, 'cursor-a/scheduled/99999'])).toString('base64url');
  t.is((await world.api('GET', `${path}&cursor=${forged}`)).body.code, 'invalid_cursor');
});

test('a monitor id with NUL is malformed and costs no statement', async t => {
  const world = await openOwnWorld(t, ['null-a']);
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

test('results are stored while retention waits for a long reader of an old partition', async t => {
  const world = await openWorld(['lock-a']);
  await using agent = await world.connect('lock-a');
  const { openSeries } = await import('#control-plane/platform/db/series/series.ts');
  const { sqlOf } = await import('#control-plane/platform/db/sql.ts');
  const pool = world.replica.pools.background;
  const series = await openSeries(pool, sqlOf(pool), await editionOf(pool));
  const old = Date.now() - 60 * 86_400_000;
  await series.ensure('check_results', [old]);
  await withSql(
    database(),
    sql =>
      sql.run`
        with old as (
          select ${instant(old)}::timestamptz as at
        )
        insert into check_results (
          monitor_id, scheduled_at, region, kind, attempt, status, agent_id, config_version, started_at, completed_at,
          received_at, detail
        )
        select 'm', at, 'r', 'scheduled', 1, 'ok', 'a', 1, at, at, at, '{}'
        from old`,
  );
  const reader = await pool.connect();
  await reader.query('begin; select count(*) from check_results');
  let isDone = false;
  const dropping = series
    .dropBefore('check_results', Date.now() - 30 * 86_400_000)
    .catch(() => [])
    .finally(() => {
      isDone = true;
    });
  const isBlocked = async () => {
    const { rowCount } = await pool.query(
      `select 1 from pg_locks where not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return isDone || rowCount !== 0;
  };
  await until(isBlocked, true);
  // The reader ends only after the results are stored: if they waited for it, the test would time out.
  t.timeout(patienceMs);
  t.deepEqual(await agent.report([goodResult(world.id, Date.now())]), []);
  await reader.query('commit');
  reader.release();
  await dropping;
});

test('results that wait for a lock do not hold back those of other agents for long', async t => {
  const world = await openOwnWorld(t, ['wait-c']);
  const secrets = await createRegions(database(), ['wait-a', 'wait-b']);
  const locked = await world.api('POST', '/v0/monitors', {
    name: 'locked',
    url: 'http://127.0.0.1:1/',
    interval_seconds: 10,
    regions: ['wait-a', 'wait-b'],
  });
  // As many as there are writers.
  await using first = await connectFakeAgent(world.replica.url, secrets['wait-a']?.secret ?? '');
  await using second = await connectFakeAgent(world.replica.url, secrets['wait-b']?.secret ?? '');
  await using other = await world.connect('wait-c');
  const holder = await world.replica.pools.background.connect();
  t.teardown(() => holder.release(true));
  // A session of somebody else's: ours would soon be ended for doing nothing.
  await holder.query('begin; set local idle_in_transaction_session_timeout = 0');
  await holder.query('select 1 from monitor_states where monitor_id = $1 for update', [locked.body.id]);
  const isBlocked = () =>
    withSql(database(), async sql => {
      const row = await sql.row<{ count: number }>`
        select count(*)::integer as count
        from pg_stat_activity
        where wait_event_type = 'Lock'
          and datname = current_database()`;
      return row?.count ?? 0;
    });
  const held = [first.report([goodResult(locked.body.id, Date.now())])];
  await until(isBlocked, count => count >= 1);
  held.push(second.report([goodResult(locked.body.id, Date.now())]));
  await until(isBlocked, count => count >= 2);
  const waitedFrom = performance.now();
  t.deepEqual(await other.report([goodResult(world.id, Date.now())]), []);
  // Without a limit of its own a lock is waited for until the statement ends, three times 30 s.
  t.true(performance.now() - waitedFrom < 60_000);
  await holder.query('commit');
  t.deepEqual((await Promise.all(held)).flat(), []);
});

test('a retried transaction records each outcome of latency_p95 once', async t => {
  const world = await openWorld(['again-a'], {
    assertions: [{ type: 'latency_p95', operator: 'lt', value_ms: 100 }],
  });
  const { recordResults } = await import('#control-plane/monitoring/checks/intake/record.ts');
  const { openSeries } = await import('#control-plane/platform/db/series/series.ts');
  const { sqlOf } = await import('#control-plane/platform/db/sql.ts');
  const pool = world.replica.pools.background;
  let failures = 1;
  const hooks: CheckHooks = {
    arrived: async (_sql, _states, accepted) => accepted,
    recorded: async () => {
      if (failures-- > 0) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
      return { confirmations: [], written: [] };
    },
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
    {
      pool,
      series,
      hooks,
      versions: new VersionBook(),
      templates: new TemplateDictionary(),
      repeating: new ExpiringSet(1000),
      states: new StateCache(),
      asked: new AskedChecks(),
      confirm: async () => {},
    },
    [{ result: result as never, agentId: 'agt_1', region: 'again-a', isPrivate: false }],
    Date.now(),
  );
  const { data } = (await world.api('GET', `/v0/monitors/${world.id}/checks`)).body;
  t.is(data[0].assertions.length, 1);
});

test('a migration of the versions under a running replica refuses no result', async t => {
  const world = await openWorld(['stale-a']);
  await using agent = await world.connect('stale-a');
  t.deepEqual(await agent.report([goodResult(world.id, Date.now() - 3000)]), []);
  await world.api('PATCH', `/v0/monitors/${world.id}`, { url: 'http://127.0.0.1:2/' });
  await withSql(database(), sql => sql.run`alter table monitor_versions add column added_later integer`);
  t.deepEqual(await agent.report([goodResult(world.id, Date.now() - 2000, { config_version: 2 })]), []);
});
