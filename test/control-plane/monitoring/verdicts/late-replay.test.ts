import test, { type ExecutionContext } from 'ava';
import type pg from 'pg';
import { AskedChecks } from '#control-plane/monitoring/checks/intake/asked-checks.ts';
import { ExpiringSet } from '#control-plane/monitoring/checks/intake/expiring-set.ts';
import { recordResults } from '#control-plane/monitoring/checks/intake/record.ts';
import { VersionBook } from '#control-plane/monitoring/checks/intake/version-book.ts';
import { TemplateDictionary } from '#control-plane/monitoring/checks/storage/template-dictionary.ts';
import { StateCache } from '#control-plane/monitoring/monitors/state/state-cache.ts';
import { LateReplay } from '#control-plane/monitoring/verdicts/replay.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { instant, sqlOf } from '#control-plane/platform/db/sql.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { transactionHooks } from '#control-plane/roles/wings.ts';
import type { WireResult } from '#shared/check-result.ts';
import { apiOf, createRegions, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { createDatabase } from '#test/support/database.ts';
import { failed } from '#test/support/monitor-state.ts';
import { makeResult } from '#test/support/results.ts';

const regions = ['late-a', 'late-b', 'late-c'];
const [a = '', b = '', c = ''] = regions;

/** A monitor that is ten minutes old, on a database where nobody else replays. Times: seconds since then. */
async function openCase(t: ExecutionContext) {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const replica = await startReplica(database.url, { roles: ['front'] });
  t.teardown(() => replica.stop());
  await createRegions(database.url, regions);
  const { token } = await createTenant(database.url);
  const monitor = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, timeout_ms: 1000, regions };
  const create = async (token: string) =>
    String((await apiOf(replica.url, token)('POST', '/v0/monitors', monitor)).body.id);
  const id = await create(token);
  const createMore = () => create(token);
  const createElsewhere = async () => create((await createTenant(database.url)).token);
  const startMs = Date.now() - 600_000;
  const run = <Result>(work: Parameters<typeof withSql<Result>>[1]) => withSql(database.url, work);
  await run(async sql => {
    const start = instant(startMs);
    await sql.run`update monitor_versions set at = ${start} where monitor_id = ${id}`;
    await sql.run`update monitor_states set floor = ${start}, since = ${start} where monitor_id = ${id}`;
    await sql.run`update verdict_changes set since = ${start} where monitor_id = ${id}`;
  });
  const pool = replica.pools.background;
  const { edition = 'plain' } =
    (await run(sql => sql.row<{ edition: Edition }>`select edition from storage_edition`)) ?? {};
  const hooks = transactionHooks(createMetrics());
  const services = {
    pool,
    series: await openSeries(pool, sqlOf(pool), edition),
    hooks: hooks.checks,
    versions: new VersionBook(),
    templates: new TemplateDictionary(),
    repeating: new ExpiringSet(1000),
    states: new StateCache(),
    asked: new AskedChecks(),
    confirm: async () => {},
  };
  const at = (seconds: number) => startMs + seconds * 1000;
  const seen = (region: string, seconds: number, changes: Partial<WireResult> = {}) => {
    const times = { scheduled_at: at(seconds), started_at: at(seconds), completed_at: at(seconds) + 10 };
    const result = { ...makeResult({ monitor_id: id, ...times }), seq: 1, ...changes };
    return { result, agentId: `agt_${region}`, region, isPrivate: false };
  };
  const bad = (region: string, seconds: number) =>
    [1, 2].map(attempt =>
      seen(region, seconds, {
        ...failed,
        attempt: attempt as 1 | 2,
        error: { code: 'connect_refused', message: 'refused' },
        started_at: at(seconds + attempt - 1),
        completed_at: at(seconds + attempt - 1) + 10,
      }),
    );
  const record = (results: ReturnType<typeof seen>[], seconds: number) => recordResults(services, results, at(seconds));
  const state = () =>
    run(
      sql => sql.row<{ verdict: string; replay_from: number | null }>`
        select verdict, replay_from
        from monitor_states
        where monitor_id = ${id}`,
    );
  const history = async () => {
    const rows = await run(
      sql => sql.rows<{ verdict: string; since: number }>`
        select verdict, since
        from verdict_changes
        where monitor_id = ${id}
        order by since`,
    );
    return rows.map(({ verdict, since }) => `${verdict}@${(since - startMs) / 1000}`);
  };
  const alerts = () =>
    run(
      sql => sql.rows<{ started_at: number; resolved_at: number | null }>`
        select started_at, resolved_at
        from alerts
        where monitor_id = ${id}
        order by id`,
    );
  const replayOf = (on: pg.Pool) => new LateReplay(on, hooks.verdicts);
  return { id, createMore, createElsewhere, pool, at, seen, bad, record, state, history, alerts, replayOf, run };
}

test('late results that are stored while a replay is under way are replayed as well', async t => {
  const { pool, at, seen, bad, record, state, history, replayOf } = await openCase(t);
  await record(
    regions.map(region => seen(region, 300)),
    301,
  );
  t.deepEqual(await history(), ['pending@0', 'undetermined@23', 'up@300.01']);
  const steady = [80, 90, 100, 110, 120].flatMap(seconds => [seen(c, seconds), seen(a, seconds + 1)]);
  await record(steady, 302);
  const meanwhile = [90, 100, 110].flatMap(seconds => [...bad(a, seconds + 4), ...bad(b, seconds)]);
  const interrupted = {
    query: pool.query.bind(pool),
    connect: async () => {
      await record(meanwhile, 303);
      return pool.connect();
    },
  } as unknown as pg.Pool;
  t.is(await replayOf(interrupted).run(() => at(304)), 0);
  t.not((await state())?.replay_from, null);
  t.is(await replayOf(pool).run(() => at(305)), 1);
  t.is((await state())?.replay_from, null);
  t.true((await history()).includes('down@94'), (await history()).join(' '));
});

test('what live judging writes while other monitors are replayed stays', async t => {
  const { pool, at, seen, bad, record, history, replayOf } = await openCase(t);
  await record(
    regions.map(region => seen(region, 300)),
    301,
  );
  await record([seen(a, 290)], 302);
  let nowSeconds = 303;
  const connected = { connect: pool.connect.bind(pool) };
  const query = async (...args: Parameters<typeof pool.query>) => {
    const answer = await pool.query(...args);
    if (nowSeconds === 303) {
      nowSeconds = 312;
      await record(
        regions.flatMap(region => bad(region, 310)),
        nowSeconds,
      );
    }
    return answer;
  };
  t.is(await replayOf({ ...connected, query } as unknown as pg.Pool).run(() => at(nowSeconds)), 1);
  t.is(nowSeconds, 312);
  t.true((await history()).at(-1)?.startsWith('down@31'), (await history()).join(' '));
});

test('a row that live judging disputes goes when both agree, ten seconds later', async t => {
  const { id, pool, at, seen, record, run, state, history, replayOf } = await openCase(t);
  const all = (seconds: number) => regions.map(region => seen(region, seconds));
  await record(all(300), 301);
  // As if votes had been judged late: they ran out before newer results were stored.
  await run(async sql => {
    await sql.run`
      update monitor_states
      set verdict = 'undetermined', since = ${instant(at(305))}
      where monitor_id = ${id}`;
    await sql.run`
      insert into verdict_changes (monitor_id, project_id, since, verdict, votes, config_version)
      select monitor_id, project_id, ${instant(at(305))}, 'undetermined', '{}', 1
      from monitor_states
      where monitor_id = ${id}`;
  });
  await record([seen(a, 290)], 306);
  const replay = replayOf(pool);
  t.is(await replay.run(() => at(307)), 0, 'not finished');
  t.is((await state())?.verdict, 'undetermined', 'live judging decides the present');
  t.not((await state())?.replay_from, null);
  await record(all(310), 311);
  t.is((await state())?.verdict, 'up');
  t.is(await replay.run(() => at(312)), 0, 'not before its time');
  t.true((await history()).includes('undetermined@305'));
  t.is(await replay.run(() => at(318)), 1);
  t.deepEqual(await history(), ['pending@0', 'undetermined@23', 'up@300.01']);
  t.is((await state())?.replay_from, null);
});

test('an outage that a late result begins where the one before ended is the same one, and so is its alert', async t => {
  const { pool, at, seen, bad, record, history, alerts, replayOf } = await openCase(t);
  await record(
    regions.map(region => seen(region, 290)),
    291,
  );
  await record([...bad(a, 300), ...bad(b, 300), seen(c, 300)], 302);
  const [first, second] = bad(c, 309.5);
  if (first === undefined || second === undefined) throw new Error('a check has two attempts');
  await record([first, seen(a, 310)], 311);
  await record([seen(c, 312, { kind: 'confirm' })], 313);
  t.deepEqual(await history(), ['pending@0', 'undetermined@23', 'up@290.01', 'down@300', 'up@310.01']);
  await record([second], 314);
  t.is(await replayOf(pool).run(() => at(315)), 1);
  t.deepEqual(await history(), ['pending@0', 'undetermined@23', 'up@290.01', 'down@300', 'up@312.01']);
  t.deepEqual(await alerts(), [{ started_at: at(300), resolved_at: at(312) + 10 }]);
});

test('a late result rewrites the rows that it changes, not those that follow', async t => {
  const { id, pool, at, seen, bad, record, history, replayOf, run } = await openCase(t);
  const seconds = Array.from({ length: 28 }, (_, index) => 300 + 10 * index);
  await record(
    regions.map(region => seen(region, 290)),
    291,
  );
  for (const [index, second] of seconds.entries())
    await record(
      regions.flatMap(region => (index % 2 === 0 ? bad(region, second) : [seen(region, second)])),
      second + 2,
    );
  const before = await history();
  t.true(before.length > seconds.length);
  const writers = () =>
    run(
      sql => sql.rows<{ since: number; writer: string }>`
        select since, xmin::text as writer
        from verdict_changes
        where monitor_id = ${id}
        order by since`,
    );
  const stored = await writers();
  await record([seen(a, 295)], 582);
  t.is(await replayOf(pool).run(() => at(583)), 1);
  t.deepEqual(await history(), before);
  const kept = new Set((await writers()).map(({ writer }) => writer)).intersection(
    new Set(stored.map(({ writer }) => writer)),
  );
  t.true(kept.size >= seconds.length - 2, `${kept.size} of ${stored.length} rows stayed`);
  await record([...bad(b, 312), ...bad(c, 312)], 584);
  t.is(await replayOf(pool).run(() => at(585)), 1);
  const left = (await writers()).filter(({ writer }) => stored.some(row => row.writer === writer));
  t.true(left.length >= seconds.length - 6, `${left.length} of ${stored.length} rows stayed`);
  t.notDeepEqual(await history(), before);
});

test('late results of many monitors of one project do not keep another from its turn', async t => {
  const { id, createMore, createElsewhere, pool, at, replayOf, run } = await openCase(t);
  const many = [id, await createMore(), await createMore()];
  const elsewhere = await createElsewhere();
  await run(async sql => {
    await sql.run`update monitor_states set replay_from = ${instant(at(10))} where monitor_id = any(${many})`;
    await sql.run`update monitor_states set replay_from = ${instant(at(500))} where monitor_id = ${elsewhere}`;
  });
  const late = () =>
    run(async sql => {
      const rows = await sql.rows<{ monitor_id: string }>`
        select monitor_id from monitor_states where replay_from is not null`;
      return rows.map(row => row.monitor_id);
    });
  const replay = replayOf(pool);
  t.is(await replay.run(() => at(600)), 2);
  const left = await late();
  t.is(left.length, 2);
  t.false(left.includes(elsewhere));
  t.deepEqual([await replay.run(() => at(600)), await replay.run(() => at(600)), await late()], [1, 1, []]);
});
