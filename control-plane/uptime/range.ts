import { parseTimestamp } from '../http/parameters.ts';
import { Problem } from '../http/problem.ts';

export type Granularity = 'day' | 'hour';

/** Adjoining buckets: `bounds` has one more than there are buckets; the last bucket may be cut at now. */
export type UptimeRange = {
  granularity: Granularity;
  starts: readonly number[];
  bounds: readonly number[];
  shown: { from: string; to: string };
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const bucketsMax: Record<Granularity, number> = { day: 400, hour: 800 };

type RangeQuery = { granularity?: Granularity | undefined; from?: string | undefined; to?: string | undefined };

/** Reads the range of an uptime request; without one the last 30 days, or 24 hours. Throws `invalid_parameter`. */
export function readUptimeRange(query: RangeQuery, nowMs: number): UptimeRange {
  const granularity = query.granularity ?? 'day';
  const size = granularity === 'day' ? dayMs : hourMs;
  const to = query.to === undefined ? null : readEdge('to', query.to, granularity);
  const end = to === null ? floorTo(nowMs, size) + size : Math.ceil(to / size) * size;
  const from = query.from === undefined ? null : readEdge('from', query.from, 'hour');
  const start = from === null ? end - (granularity === 'day' ? 30 : 24) * size : floorTo(from, size);
  if (start > end || (from !== null && to !== null && from > to)) refuse('from', 'must not be after to');
  const buckets = (end - start) / size;
  if (buckets > bucketsMax[granularity])
    refuse('from', `the range has ${buckets} buckets, at most ${bucketsMax[granularity]} by ${granularity}`);
  const starts = Array.from({ length: buckets }, (_, index) => start + index * size);
  const bounds = [...starts, end].map(bound => Math.min(bound, Math.max(start, nowMs)));
  return { granularity, starts, bounds, shown: shownRange(granularity, start, end) };
}

/** `2026-11-20` by day, an instant by hour. */
export function bucketName(startMs: number, granularity: Granularity): string {
  const text = new Date(startMs).toISOString();
  return granularity === 'day' ? text.slice(0, 10) : text;
}

/** By day `to` is the last day included, by hour it is excluded. */
function shownRange(granularity: Granularity, start: number, end: number): { from: string; to: string } {
  const last = granularity === 'day' ? Math.max(start, end - dayMs) : end;
  return { from: bucketName(start, granularity), to: bucketName(last, granularity) };
}

/** A date or a timestamp. As `to` by day a date names the last day, so its end counts. */
function readEdge(parameter: 'from' | 'to', text: string, granularity: Granularity): number {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const ms = parseTimestamp(isDate ? `${text}T00:00:00Z` : text);
  if (ms === null) return refuse(parameter, 'must be a date or an RFC 3339 time with an offset');
  return isDate && parameter === 'to' && granularity === 'day' ? ms + dayMs : ms;
}

function refuse(parameter: string, detail: string): never {
  const code = detail.startsWith('must be a date') ? 'format' : 'out_of_range';
  throw new Problem('invalid_parameter', { detail: `${parameter} ${detail}`, errors: [{ parameter, code, detail }] });
}

function floorTo(ms: number, size: number): number {
  return Math.floor(ms / size) * size;
}
