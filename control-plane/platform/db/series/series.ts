import type pg from 'pg';
import { dayMs } from '#shared/duration.ts';
import { runUnlessLocked } from '../lock-timeout.ts';
import type { Series } from '../span.ts';
import { instant, type Sql } from '../sql.ts';
import { compressChunks } from './compression.ts';
import type { Edition } from './edition.ts';
import { openPartitions } from './partitions.ts';

const spansAhead = 2;

/** The series of this database, whatever its edition. Names are those of our own migrations, never from outside. */
export type SeriesStore = {
  /** Makes sure that rows of these instants can be stored; cheap once their spans exist. */
  ensure(name: string, instants: Iterable<number>): Promise<void>;
  /** Creates the next spans of all series before they are needed. */
  ensureAhead(nowMs: number): Promise<void>;
  /** Drops every span that ended at or before the instant and returns the names of the dropped tables. */
  dropBefore(name: string, beforeMs: number): Promise<string[]>;
  /** Compresses closed spans where the edition can, and returns the names of their tables. */
  compress(nowMs: number, signal: AbortSignal): Promise<string[]>;
  /** Forgets which spans exist: another server may lack the last of them. */
  forget(): void;
};

/** The statement that turns a new table into a series; null on plain PostgreSQL, where it is partitioned already. */
export function makeSeriesSql(series: Series, edition: Edition): string | null {
  if (edition === 'plain') return null;
  const range = `by_range('${series.column}', interval '${series.spanDays} days')`;
  return `select create_hypertable('${series.name}', ${range}, create_default_indexes => false)`;
}

/** Reads the series that migrations registered. */
export async function openSeries(pool: pg.Pool, sql: Sql, edition: Edition): Promise<SeriesStore> {
  const rows = await sql.rows<{ name: string; span_days: number; time_column: string }>`
    select name, span_days, time_column from series`;
  const all = rows.map(row => ({ name: row.name, column: row.time_column, spanDays: row.span_days }));
  const find = (name: string): Series => {
    const found = all.find(series => series.name === name);
    if (found === undefined) throw new Error(`there is no series ${name}`);
    return found;
  };
  if (edition !== 'plain') {
    return {
      ensure: async () => {},
      ensureAhead: async () => {},
      dropBefore: (name, beforeMs) => dropChunks(pool, find(name), beforeMs),
      compress: async (nowMs, signal) => (edition === 'apache' ? [] : compressChunks(pool, sql, nowMs, signal)),
      forget: () => {},
    };
  }
  const partitions = await openPartitions(pool, sql, all);
  return {
    ensure: (name, instants) => partitions.ensure(find(name), instants),
    ensureAhead: async nowMs => {
      for (const series of all) {
        const spans = Array.from({ length: spansAhead + 1 }, (_, index) => nowMs + index * series.spanDays * dayMs);
        await partitions.ensure(series, spans);
      }
    },
    dropBefore: (name, beforeMs) => partitions.dropBefore(find(name), beforeMs),
    compress: async () => [],
    forget: partitions.forget,
  };
}

function dropChunks(pool: pg.Pool, series: Series, beforeMs: number): Promise<string[]> {
  const olderThan = `older_than => '${instant(beforeMs)}'::timestamptz`;
  const statement = `select drop_chunks('${series.name}', ${olderThan})::text as chunk`;
  return runUnlessLocked(pool, statement, rows => rows.map(row => String(row.chunk)));
}
