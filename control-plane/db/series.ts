import type pg from 'pg';
import type { Edition } from './edition.ts';
import { classifyFault } from './errors.ts';
import { instant, type Sql } from './sql.ts';

/** A table kept in spans of time, so that old rows go by dropping a whole span. */
export type Series = { name: string; column: string; spanDays: number };

const dayMs = 86_400_000;
const aheadSpans = 2;

/** Only this file knows editions. Names come from our own migrations, never from outside. */
export type SeriesStore = {
  /** Makes room for rows of these instants; cheap once a span is known. */
  ensure(name: string, instants: Iterable<number>): Promise<void>;
  /** Makes the next spans of all series before they are needed. */
  ensureAhead(nowMs: number): Promise<void>;
  /** Drops every span that ended at or before the instant and names what went. */
  dropBefore(name: string, beforeMs: number): Promise<string[]>;
};

/** The statement that turns a table just made into a series; null where the partitioned table is one already. */
export function makeSeriesSql(series: Series, edition: Edition): string | null {
  if (edition === 'plain') return null;
  return `${settingsOf(series)
    .map(setting => `alter table ${series.name} set (${setting});`)
    .join(' ')}
    select create_hypertable('${series.name}', by_range('${series.column}', interval '${series.spanDays} days'), create_default_indexes => false)`;
}

export async function openSeries(pool: pg.Pool, sql: Sql, edition: Edition): Promise<SeriesStore> {
  const all = await sql.rows<{ name: string; span_days: number; time_column: string }>(
    'select name, span_days, time_column from series',
  );
  const series = new Map(
    all.map(row => [row.name, { name: row.name, column: row.time_column, spanDays: row.span_days }]),
  );
  const find = (name: string): Series => {
    const found = series.get(name);
    if (found === undefined) throw new Error(`no series ${name}`);
    return found;
  };
  if (edition !== 'plain') {
    return {
      ensure: async () => {},
      ensureAhead: async () => {},
      dropBefore: (name, beforeMs) => dropChunks(pool, find(name), beforeMs),
    };
  }
  const known = new Set(
    await Promise.all([...series.values()].map(one => partitionsOf(sql, one))).then(lists => lists.flat()),
  );
  const ensure = async (name: string, instants: Iterable<number>): Promise<void> => {
    const one = find(name);
    for (const start of new Set(Array.from(instants, ms => spanStart(one, ms)))) {
      const partition = partitionName(one, start);
      if (known.has(partition)) continue;
      await makePartition(pool, one, partition, start);
      known.add(partition);
    }
  };
  return {
    ensure,
    ensureAhead: async nowMs => {
      for (const one of series.values()) {
        await ensure(
          one.name,
          Array.from({ length: aheadSpans + 1 }, (_, span) => nowMs + span * one.spanDays * dayMs),
        );
      }
    },
    dropBefore: async (name, beforeMs) => {
      const dropped = await dropPartitions(pool, sql, find(name), beforeMs);
      for (const partition of dropped) known.delete(partition);
      return dropped;
    },
  };
}

function spanStart(series: Series, ms: number): number {
  const span = series.spanDays * dayMs;
  return Math.floor(ms / span) * span;
}

function partitionName(series: Series, startMs: number): string {
  return `${series.name}_${instant(startMs).slice(0, 10).replaceAll('-', '')}`;
}

/** Rows of the roll-up are rewritten with each result of their hour: with room in the page that stays in the page (24 instead of 31 µs a row). */
function settingsOf(series: Series): string[] {
  return series.name === 'checks_hourly' ? ['fillfactor = 60'] : [];
}

/** Made beside and attached: attaching waits for no reader and holds up no writer, making it in place would do both. */
async function makePartition(pool: pg.Pool, series: Series, partition: string, startMs: number): Promise<void> {
  const end = startMs + series.spanDays * dayMs;
  const settings = settingsOf(series)
    .map(setting => ` with (${setting})`)
    .join('');
  await impatiently(pool, async client => {
    // Others who make the same are waited for without haste: nobody queues behind this lock.
    await client.query(
      `set local lock_timeout = 0; select pg_advisory_xact_lock(hashtext('${series.name}')); ${patience}`,
    );
    const { rows } = await client.query<{ known: string | null }>('select to_regclass($1) as known', [partition]);
    if (rows[0]?.known !== null) return;
    await client.query(
      `create table ${partition} (like ${series.name} including defaults including constraints)${settings};
       alter table ${series.name} attach partition ${partition} for values from ('${instant(startMs)}') to ('${instant(end)}')`,
    );
  });
}

const patience = "set local lock_timeout = '1s'";

/** In one transaction that soon gives up waiting for a lock: behind a waiting change of a table all who use it queue. */
async function impatiently(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(`begin; ${patience}`);
    await work(client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(failure => {
      broken = failure as Error;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function partitionsOf(sql: Sql, series: Series): Promise<string[]> {
  const rows = await sql.rows<{ name: string }>(
    'select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid where inhparent = $1::text::regclass order by 1',
    [series.name],
  );
  return rows.map(row => row.name);
}

async function dropPartitions(pool: pg.Pool, sql: Sql, series: Series, beforeMs: number): Promise<string[]> {
  const limit = partitionName(series, spanStart(series, beforeMs));
  const old = (await partitionsOf(sql, series)).filter(name => name < limit);
  const dropped: string[] = [];
  for (const name of old) dropped.push(...(await dropUnlessRead(pool, `drop table ${name}`, () => [name])));
  return dropped;
}

function dropChunks(pool: pg.Pool, series: Series, beforeMs: number): Promise<string[]> {
  const statement = `select drop_chunks('${series.name}', older_than => '${instant(beforeMs)}'::timestamptz)::text as chunk`;
  return dropUnlessRead(pool, statement, rows => rows.map(row => String(row.chunk)));
}

/** While a long reader is on it nothing is dropped: who writes would queue behind us. The next housekeeping tries again. */
async function dropUnlessRead(
  pool: pg.Pool,
  statement: string,
  namesOf: (rows: Record<string, unknown>[]) => string[],
): Promise<string[]> {
  try {
    let dropped: string[] = [];
    await impatiently(pool, async client => {
      dropped = namesOf((await client.query(statement)).rows);
    });
    return dropped;
  } catch (error) {
    if (classifyFault(error) !== 'away') throw error;
    return [];
  }
}
