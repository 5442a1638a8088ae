import test, { type ExecutionContext } from 'ava';
import { deleteResultsOf } from '#control-plane/monitoring/checks/purge-monitors.ts';
import { viewResult } from '#control-plane/monitoring/checks/result.ts';
import { listResults } from '#control-plane/monitoring/checks/storage/history-store.ts';
import { insertOnce } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import { wholeParts } from '#control-plane/monitoring/checks/storage/template.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { fragment, identifier, instant, type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { useDatabase } from '#test/support/database.ts';
import { makeNewResult } from '#test/support/monitor-state.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);
const edition = (process.env.TEST_STORAGE ?? 'plain') as Edition;
const never = new AbortController().signal;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const nowMs = today + 12 * hourMs;

async function open(t: ExecutionContext) {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  const series = await openSeries(pools.background, sql, edition);
  const days = Array.from({ length: 8 }, (_, age) => today - age * dayMs);
  await series.ensure('check_results', days);
  await series.ensure('checks_hourly', [...days, nowMs - 40 * dayMs, nowMs - 75 * dayMs]);
  return { pool: pools.background, sql, series, compress: () => series.compress(nowMs, never) };
}

/** One good result each `stepMs` from `fromMs` on. */
async function fill(sql: Sql, monitorId: string, fromMs: number, count: number, stepMs: number): Promise<void> {
  await sql.run`
    insert into check_results (monitor_id, scheduled_at, region, kind, attempt, status, agent_id, config_version,
      started_at, completed_at, received_at, latency_ms, detail)
    select
      ${monitorId}, at, 'a', 'scheduled', 1, 'ok', 'agt_1', 1, at, at, at, 5, ${wholeParts(makeNewResult(0)).detail}
    from generate_series(0, ${count}::integer - 1) as n
    cross join lateral (
      values (${instant(fromMs)}::timestamptz + n * ${stepMs}::integer * interval '1 ms')
    ) as slot (at)`;
}

const page = (sql: Sql, monitorId: string, limit: number) =>
  listResults(sql, { monitorId }, { limit, after: null }).then(rows => rows.map(viewResult));

const store = (sql: Sql, monitorId: string, instants: readonly number[]) => {
  const results = instants.map(at => makeNewResult(at, { monitor_id: monitorId }));
  return insertOnce(sql, results, results.map(wholeParts));
};

if (edition === 'community') {
  test.serial('days are compressed two days after they are over, and read, extended and deleted as before', async t => {
    const { pool, sql, series, compress } = await open(t);
    for (const id of ['mon_a', 'mon_b']) await fill(sql, id, today - 6 * dayMs, 6 * 24 * 6, 600_000);
    await fill(sql, 'mon_a', today, 3, 600_000);
    const before = await page(sql, 'mon_a', 1000);
    t.is((await compress()).length, 4, 'days that ended at least two days ago');
    t.deepEqual(await compress(), []);
    t.deepEqual(await page(sql, 'mon_a', 1000), before);

    const [stored, late] = [today - 5 * dayMs, today - 5 * dayMs + 1234];
    t.deepEqual(await transaction(pool, tx => store(tx, 'mon_a', [stored, late])), [1], 'only what is new');
    t.is((await page(sql, 'mon_a', 1000)).length, before.length + 1);
    t.is((await compress()).length, 1, 'the day of the late result');

    await transaction(pool, tx => deleteResultsOf(tx, ['mon_b']));
    t.deepEqual(await page(sql, 'mon_b', 10), []);
    t.is((await page(sql, 'mon_a', 1000)).length, before.length + 1);

    t.is((await series.dropBefore('check_results', today - 4 * dayMs)).length, 2);
    const left = await page(sql, 'mon_a', 1000);
    t.is(left.at(-1)?.scheduled_at, new Date(today - 4 * dayMs).toISOString());
  });

  test.serial('late results of many monitors and a deletion may touch more rows than TimescaleDB allows', async t => {
    const { pool, sql, compress } = await open(t);
    const ids = Array.from({ length: 30 }, (_, index) => `mon_many_${index}`);
    for (const id of ids) await fill(sql, id, today - 7 * dayMs, 4000, 20_000);
    t.true((await compress()).length >= 1);
    for (const id of ids) t.is((await store(sql, id, [today - 7 * dayMs + 7])).length, 1);
    const doomed = ids.map(id => ({ id }));
    await transaction(pool, tx =>
      deleteResultsOf(
        tx,
        doomed.map(({ id }) => id),
      ),
    );
    for (const id of ids) t.deepEqual(await page(sql, id, 1), []);
  });

  test.serial('hours are compressed when no result can change them any more', async t => {
    const { sql, compress } = await open(t);
    for (const age of [1, 40, 75]) {
      await sql.run`
        insert into checks_hourly
          (monitor_id, hour, region, ok, warn, err, latency_sum, latency_max, latency_bins)
        values ('mon_hours', ${instant(today - age * dayMs)}, 'a', 1, 0, 0, 5, 5, array_fill(0::smallint, array[48]))`;
    }
    const compressed = await compress();
    t.true(compressed.length >= 1 && compressed.length <= 2, `${compressed}`);
    const kept = await sql.row<{ ok: number }>`
      select sum(ok)::integer as ok
      from checks_hourly
      where monitor_id = 'mon_hours'`;
    t.is(kept?.ok, 3);
  });

  test.serial('a span that somebody locks is left for the next time', async t => {
    const { pool, sql, compress } = await open(t);
    await compress();
    await fill(sql, 'mon_locked', today - 4 * dayMs, 10, 1000);
    await transaction(pool, async tx => {
      const chunk = await tx.row<{ chunk_schema: string; chunk_name: string }>`
        select chunk_schema, chunk_name
        from timescaledb_information.chunks
        where hypertable_name = 'check_results' and range_start = ${instant(today - 4 * dayMs)}`;
      const table = fragment`${identifier(chunk?.chunk_schema ?? '')}.${identifier(chunk?.chunk_name ?? '')}`;
      await tx.run`lock table ${table} in share row exclusive mode`;
      t.deepEqual(await compress(), []);
    });
    t.is((await compress()).length, 1);
  });
} else {
  test.serial('an edition without columnstore compresses nothing', async t => {
    const { sql, compress } = await open(t);
    await fill(sql, 'mon_a', today - 6 * dayMs, 10, 1000);
    t.deepEqual(await compress(), []);
  });
}
