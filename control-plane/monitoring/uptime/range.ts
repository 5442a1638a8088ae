import { dayMs, hourMs } from '#shared/duration.ts';
import { parseTimestamp } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';

export type Granularity = 'day' | 'hour';

/** Adjoining buckets: `bounds` has one more entry than buckets; the last bucket may end now. */
export type UptimeRange = {
  granularity: Granularity;
  starts: readonly number[];
  bounds: readonly number[];
  shown: { from: string; to: string };
};

const bucketsMax: Record<Granularity, number> = { day: 400, hour: 800 };

type RangeQuery = { granularity?: Granularity | undefined; from?: string | undefined; to?: string | undefined };

/** The range of an uptime request, by default the last 30 days or 24 hours. Throws `invalid_parameter`. */
export function readUptimeRange(query: RangeQuery, nowMs: number): UptimeRange {
  const granularity = query.granularity ?? 'day';
  const size = granularity === 'day' ? dayMs : hourMs;
  const to = query.to === undefined ? null : readEdge('to', query.to);
  const from = query.from === undefined ? null : readEdge('from', query.from);
  // By day, a date as `to` is the last day: the range ends when that day does.
  const isLastDay = granularity === 'day' && to?.isDate === true;
  const toMs = to === null ? null : to.ms + (isLastDay ? dayMs : 0);
  const end = toMs === null ? floorTo(nowMs, size) + size : Math.ceil(toMs / size) * size;
  const start = from === null ? end - (granularity === 'day' ? 30 : 24) * size : floorTo(from.ms, size);
  const isTurned = from !== null && (isLastDay ? from.ms >= end : from.ms > (toMs ?? nowMs));
  if (isTurned) refuse('from', 'out_of_range', 'must not be after to');
  const buckets = (end - start) / size;
  if (buckets > bucketsMax[granularity])
    refuse(
      'from',
      'out_of_range',
      `makes ${buckets} ${granularity} buckets; the maximum is ${bucketsMax[granularity]}`,
    );
  const starts = Array.from({ length: buckets }, (_, index) => start + index * size);
  const bounds = [...starts, end].map(bound => Math.min(bound, Math.max(start, nowMs)));
  return { granularity, starts, bounds, shown: shownRange(granularity, start, end) };
}

/** `2026-11-20` by day, an instant by hour. */
export function bucketName(startMs: number, granularity: Granularity): string {
  const text = new Date(startMs).toISOString();
  return granularity === 'day' ? text.slice(0, 10) : text;
}

/** By day `to` is the last day, by hour it is exclusive. */
function shownRange(granularity: Granularity, start: number, end: number): { from: string; to: string } {
  const last = granularity === 'day' ? Math.max(start, end - dayMs) : end;
  return { from: bucketName(start, granularity), to: bucketName(last, granularity) };
}

type Edge = { ms: number; isDate: boolean };

/** A date, which begins at midnight UTC, or a timestamp. */
function readEdge(parameter: 'from' | 'to', text: string): Edge {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const ms = parseTimestamp(isDate ? `${text}T00:00:00Z` : text);
  if (ms === null) return refuse(parameter, 'format', 'must be a date or an RFC 3339 time with an offset');
  return { ms, isDate };
}

function refuse(parameter: string, code: 'format' | 'out_of_range', detail: string): never {
  throw new Problem('invalid_parameter', { detail: `${parameter} ${detail}`, errors: [{ parameter, code, detail }] });
}

function floorTo(ms: number, size: number): number {
  return Math.floor(ms / size) * size;
}
