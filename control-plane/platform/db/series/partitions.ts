import type pg from 'pg';
import { lockTimeoutSql, runUnlessLocked, withLockTimeout } from '../lock-timeout.ts';
import { expiredPartitions, partitionName, type Series, spanEnd, spanStart } from '../span.ts';
import { instant, type Sql } from '../sql.ts';

/** The partitions of series on plain PostgreSQL. Remembers which exist, so that `ensure` is cheap. */
export type Partitions = {
  ensure(series: Series, instants: Iterable<number>): Promise<void>;
  dropBefore(series: Series, beforeMs: number): Promise<string[]>;
  /** Remembers none any more. */
  forget(): void;
};

/** Reads which partitions exist. */
export async function openPartitions(pool: pg.Pool, sql: Sql, all: readonly Series[]): Promise<Partitions> {
  const existing = new Set((await Promise.all(all.map(series => listPartitions(sql, series)))).flat());
  return {
    ensure: async (series, instants) => {
      for (const startMs of new Set(Array.from(instants, ms => spanStart(series, ms)))) {
        const partition = partitionName(series, startMs);
        if (existing.has(partition)) continue;
        await createPartition(pool, series, startMs);
        existing.add(partition);
      }
    },
    dropBefore: async (series, beforeMs) => {
      const expired = expiredPartitions(series, await listPartitions(sql, series), beforeMs);
      const dropped: string[] = [];
      for (const name of expired) dropped.push(...(await runUnlessLocked(pool, `drop table ${name}`, () => [name])));
      for (const name of dropped) existing.delete(name);
      return dropped;
    },
    forget: () => existing.clear(),
  };
}

async function listPartitions(sql: Sql, series: Series): Promise<string[]> {
  const rows = await sql.rows<{ name: string }>`
    select child.relname as name
    from pg_inherits
    join pg_class child on child.oid = inhrelid
    where inhparent = ${series.name}::text::regclass
    order by 1`;
  return rows.map(row => row.name);
}

/**
 * Creates the partition as a table and attaches it. Attaching waits for no reader and blocks no writer; creating the
 * partition in place would do both.
 */
async function createPartition(pool: pg.Pool, series: Series, startMs: number): Promise<void> {
  const partition = partitionName(series, startMs);
  const [from, to] = [instant(startMs), instant(spanEnd(series, startMs))];
  await withLockTimeout(pool, async client => {
    // No timeout for this lock: only replicas that create the same partition queue for it.
    await client.query(
      `set local lock_timeout = 0; select pg_advisory_xact_lock(hashtext('${series.name}')); ${lockTimeoutSql}`,
    );
    const { rows } = await client.query<{ existing: string | null }>('select to_regclass($1) as existing', [partition]);
    if (rows[0]?.existing !== null) return;
    await client.query(
      `create table ${partition} (like ${series.name} including defaults including constraints);
       alter table ${series.name} attach partition ${partition} for values from ('${from}') to ('${to}')`,
    );
  });
}
