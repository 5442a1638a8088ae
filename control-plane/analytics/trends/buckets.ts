import { dayMs, hourMs } from '#shared/duration.ts';
import { timestampMax } from '../../platform/http/endpoint/parameters.ts';
import { instantOfLocal, localOfInstant } from '../../platform/local-time.ts';
import { ceilHour, floorHour } from '../flows/roll-up/dirty-hours.ts';

export const granularities = ['hour', 'day', 'week'] as const;
export type Granularity = (typeof granularities)[number];

/** A part of the range: `label` is the date on which it begins in the zone, or the hour. The first and last are cut. */
export type Bucket = { label: string; fromMs: number; toMs: number };

export type BucketRule = { granularity: Granularity; timezone: string };

/** What a range covers by default, and at most. Weeks count seven days. */
export const rangeOf: Readonly<Record<Granularity, { defaultMs: number; maxMs: number; max: string }>> = {
  hour: { defaultMs: 48 * hourMs, maxMs: 800 * hourMs, max: '800 hours' },
  day: { defaultMs: 30 * dayMs, maxMs: 400 * dayMs, max: '400 days' },
  week: { defaultMs: 26 * 7 * dayMs, maxMs: 104 * 7 * dayMs, max: '104 weeks' },
};

/** The end of a range, moved on to a whole hour. PostgreSQL cannot read years above 9999 as JavaScript writes them. */
export function endOfRange(ms: number): number {
  return Math.min(ceilHour(ms), floorHour(timestampMax));
}

/** 1970-01-05 was a Monday. */
const firstMonday = 4 * dayMs;

/** The buckets of a range of whole hours, ascending and without gaps. Hours are those of UTC. */
export function bucketsOf({ granularity, timezone }: BucketRule, fromMs: number, toMs: number): Bucket[] {
  const buckets: Bucket[] = [];
  for (let start = fromMs; start < toMs; ) {
    const { label, endMs } =
      granularity === 'hour'
        ? { label: new Date(start).toISOString(), endMs: floorHour(start) + hourMs }
        : localBucket(granularity, timezone, start);
    buckets.push({ label, fromMs: start, toMs: Math.min(endMs, toMs) });
    start = endMs;
  }
  return buckets;
}

/** The day or week of the zone at an instant: its first date, where it begins, and where the next one does. */
export function localBucket(
  granularity: 'day' | 'week',
  timezone: string,
  atMs: number,
): { label: string; startMs: number; endMs: number } {
  const day = Math.floor(localOfInstant(atMs, timezone) / dayMs) * dayMs;
  const isDay = granularity === 'day';
  const first = isDay ? day : day - mod(day - firstMonday, 7 * dayMs);
  let endMs = instantOfLocal(first + (isDay ? dayMs : 7 * dayMs), timezone);
  // A zone that skipped a day has no instant of it.
  if (endMs <= atMs) endMs = instantOfLocal(first + 2 * dayMs, timezone);
  return { label: new Date(first).toISOString().slice(0, 10), startMs: instantOfLocal(first, timezone), endMs };
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}

/** Whether every bucket begins and ends with an hour of UTC, as cells do. */
export function isAligned(buckets: readonly Bucket[]): boolean {
  return buckets.every(({ fromMs, toMs }) => fromMs % hourMs === 0 && toMs % hourMs === 0);
}

/** Moves the ends of buckets to the nearest hour. */
export function alignBuckets(buckets: readonly Bucket[]): Bucket[] {
  const nearest = (ms: number) => (ms - floorHour(ms) < hourMs / 2 ? floorHour(ms) : ceilHour(ms));
  return buckets.map(({ label, fromMs, toMs }) => ({ label, fromMs: nearest(fromMs), toMs: nearest(toMs) }));
}
