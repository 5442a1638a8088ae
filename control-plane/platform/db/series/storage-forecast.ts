import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../sql.ts';
import type { Edition } from './edition.ts';

/** The tables that grow. `daysKept` is null for what is kept as long as its monitor. */
export type SeriesForecast = {
  name: string;
  /** Now, indexes included. */
  bytes: number;
  /** A day's rows as they are stored first; null until a span is over. */
  bytesPerDay: number | null;
  /** A day's rows once they are compressed; null if none are. */
  compressedBytesPerDay: number | null;
  daysKept: number | null;
  /** When retention is reached at this rate, after a year for what is kept; null until a span is over. */
  forecastBytes: number | null;
};

/** A span of a series that is stored; instants in milliseconds. */
export type StoredSpan = { name: string; startMs: number; endMs: number; bytes: number; isCompressed: boolean };

const spansAveraged = 7;
const daysOfYear = 365;

/** What each series takes now and will take. `daysKept` holds the retention of series that have one. */
export async function storageForecast(
  sql: Sql,
  { edition, daysKept, nowMs }: { edition: Edition; daysKept: Readonly<Record<string, number>>; nowMs: number },
): Promise<SeriesForecast[]> {
  const names = await sql.rows<{ name: string }>`select name from series order by name`;
  const spans = edition === 'plain' ? await listPartitions(sql) : await listChunks(sql);
  return names.map(({ name }) =>
    forecastOf(
      name,
      spans.filter(span => span.name === name),
      daysKept[name] ?? null,
      nowMs,
    ),
  );
}

/** Pure: the mean of the newest closed spans, times the days that they are kept. */
export function forecastOf(
  name: string,
  spans: readonly StoredSpan[],
  daysKept: number | null,
  nowMs: number,
): SeriesForecast {
  const closed = spans.filter(span => span.endMs <= nowMs).toSorted((left, right) => right.endMs - left.endMs);
  const fresh = closed.filter(span => !span.isCompressed);
  const compressed = closed.filter(span => span.isCompressed);
  const bytesPerDay = meanPerDay(fresh) ?? meanPerDay(compressed);
  const compressedBytesPerDay = meanPerDay(compressed);
  const days = daysKept ?? daysOfYear;
  const freshDays = compressedBytesPerDay === null ? days : Math.min(days, daysIn(fresh));
  const forecastBytes =
    bytesPerDay === null ? null : bytesPerDay * freshDays + (compressedBytesPerDay ?? 0) * (days - freshDays);
  const bytes = spans.reduce((sum, span) => sum + span.bytes, 0);
  return { name, bytes, bytesPerDay, compressedBytesPerDay, daysKept, forecastBytes };
}

function meanPerDay(spans: readonly StoredSpan[]): number | null {
  const newest = spans.slice(0, spansAveraged);
  const days = daysIn(newest);
  return days === 0 ? null : newest.reduce((sum, span) => sum + span.bytes, 0) / days;
}

function daysIn(spans: readonly StoredSpan[]): number {
  return spans.reduce((sum, span) => sum + (span.endMs - span.startMs), 0) / dayMs;
}

type SpanRow = { name: string; start_ms: number; end_ms: number; bytes: number; is_compressed: boolean };

function toSpan({ name, start_ms, end_ms, bytes, is_compressed }: SpanRow): StoredSpan {
  return { name, startMs: start_ms, endMs: end_ms, bytes, isCompressed: is_compressed };
}

/** A partition's name ends with its first day. */
async function listPartitions(sql: Sql): Promise<StoredSpan[]> {
  const rows = await sql.rows<SpanRow>`
    select
      series.name,
      extract(epoch from first_day)::float8 * 1000 as start_ms,
      (extract(epoch from first_day)::float8 + span_days * 86400) * 1000 as end_ms,
      pg_total_relation_size(inhrelid) as bytes,
      false as is_compressed
    from series
    join pg_inherits on inhparent = series.name::regclass
    join pg_class child on child.oid = inhrelid
    cross join lateral (
      select to_timestamp(right(child.relname, 8), 'YYYYMMDD') as first_day
    ) as span`;
  return rows.map(toSpan);
}

async function listChunks(sql: Sql): Promise<StoredSpan[]> {
  const rows = await sql.rows<SpanRow>`
    select
      series.name,
      extract(epoch from range_start)::float8 * 1000 as start_ms,
      extract(epoch from range_end)::float8 * 1000 as end_ms,
      total_bytes as bytes,
      coalesce(is_compressed, false) as is_compressed
    from series
    join timescaledb_information.chunks as chunk
      on chunk.hypertable_name = series.name and chunk.hypertable_schema = current_schema()
    cross join lateral chunks_detailed_size(series.name::regclass) as size
    where size.chunk_name = chunk.chunk_name and size.chunk_schema = chunk.chunk_schema`;
  return rows.map(toSpan);
}
