import { dayMs } from '#shared/duration.ts';
import { instant } from './sql.ts';

/** A table kept in spans of time, so that old rows are deleted by dropping a whole span. */
export type Series = { name: string; column: string; spanDays: number };

/** The start of the span that contains an instant. Spans are counted from the epoch, in UTC. */
export function spanStart(series: Series, ms: number): number {
  const spanMs = series.spanDays * dayMs;
  return Math.floor(ms / spanMs) * spanMs;
}

/** The instant at which a span ends and the next one starts. */
export function spanEnd(series: Series, startMs: number): number {
  return startMs + series.spanDays * dayMs;
}

/** The name of a span's partition: the table and the first day, so that names sort by time. */
export function partitionName(series: Series, startMs: number): string {
  return `${series.name}_${instant(startMs).slice(0, 10).replaceAll('-', '')}`;
}

/** The partitions of a list that ended at or before an instant. */
export function expiredPartitions(series: Series, partitions: readonly string[], beforeMs: number): string[] {
  const oldestKept = partitionName(series, spanStart(series, beforeMs));
  return partitions.filter(name => name < oldestKept);
}
