import type pg from 'pg';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { errorCode } from '#shared/error-code.ts';
import { tryUnlessLocked, withLockTimeout } from '../lock-timeout.ts';
import { instant, type Sql } from '../sql.ts';

/** How the closed spans of a series are compressed, and how long after their end. */
type Layout = { segmentBy: string; orderBy: string; afterMs: number };

/**
 * One monitor's rows together, in the order of the history, so that its newest page is read from the front. Hours are
 * compressed when hardly any result can change them: that of a monitor which was paused for longer comes later, and its
 * span is compressed again. Events are not: a timeline and an erasure pick single rows.
 */
const layouts: Readonly<Record<string, Layout>> = {
  check_results: {
    segmentBy: 'monitor_id',
    orderBy: 'scheduled_at desc, region desc, kind desc, attempt desc',
    afterMs: 2 * dayMs,
  },
  checks_hourly: { segmentBy: 'monitor_id', orderBy: 'hour desc, region desc', afterMs: 31 * dayMs },
};

const chunkTimeoutMs = 30 * minuteMs;

/**
 * Compresses the closed chunks of TimescaleDB's Community edition, and again those that late rows came to, one
 * transaction each. Chunks that somebody locks wait for the next time. Returns the names of the compressed chunks.
 */
export async function compressChunks(pool: pg.Pool, sql: Sql, nowMs: number, signal: AbortSignal): Promise<string[]> {
  const compressed: string[] = [];
  for (const [name, layout] of Object.entries(layouts)) {
    const chunks = await listDue(sql, name, nowMs - layout.afterMs);
    if (chunks.length === 0 || !(await enable(pool, sql, name, layout))) continue;
    for (const chunk of chunks) {
      if (signal.aborted) return compressed;
      if (await compressChunk(pool, chunk)) compressed.push(chunk.name);
    }
  }
  return compressed;
}

/** False if it was locked, or another replica, whose lease ran out meanwhile, was faster. */
async function compressChunk(pool: pg.Pool, { name, is_compressed }: DueChunk): Promise<boolean> {
  try {
    return await tryUnlessLocked(async () => {
      await withLockTimeout(pool, async client => {
        await client.query(`set local statement_timeout = ${chunkTimeoutMs}`);
        await client.query({ text: 'select compress_chunk($1)', values: [name], ...patient });
      });
      // Late rows leave their pages behind, by which the chunk would seem due for ever.
      if (is_compressed) await pool.query(`vacuum ${name}`);
    });
  } catch (error) {
    if (errorCode(error) !== alreadyCompressed) throw error;
    return false;
  }
}

const alreadyCompressed = '42710';
/** pg's own limit on a query's time, which its types do not have. */
const patient: object = { query_timeout: chunkTimeoutMs + minuteMs };

type DueChunk = { name: string; is_compressed: boolean };

/** Closed chunks with rows outside the columnstore: all of them, or late ones. */
async function listDue(sql: Sql, name: string, beforeMs: number): Promise<DueChunk[]> {
  return sql.rows<DueChunk>`
    select format('%I.%I', chunk_schema, chunk_name) as name, is_compressed
    from timescaledb_information.chunks
    where hypertable_schema = current_schema()
      and hypertable_name = ${name}
      and range_end <= ${instant(beforeMs)}
      and (not is_compressed or pg_relation_size(format('%I.%I', chunk_schema, chunk_name)::regclass) > 0)
    order by range_start`;
}

/** Sets the layout at the first time. False if the table was locked. */
async function enable(pool: pg.Pool, sql: Sql, name: string, { segmentBy, orderBy }: Layout): Promise<boolean> {
  const enabled = await sql.row`
    select 1
    from timescaledb_information.hypertables
    where hypertable_schema = current_schema() and hypertable_name = ${name} and compression_enabled`;
  if (enabled !== null) return true;
  return tryUnlessLocked(() =>
    withLockTimeout(pool, async client => {
      await client.query(
        `alter table ${name} set (
           timescaledb.compress,
           timescaledb.compress_segmentby = '${segmentBy}',
           timescaledb.compress_orderby = '${orderBy}'
         )`,
      );
    }),
  );
}
