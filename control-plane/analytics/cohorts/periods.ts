import { dayMs, hourMs, secondMs } from '#shared/duration.ts';
import { badParameter } from '../flows/report/query.ts';
import { type Bucket, localBucket } from '../trends/buckets.ts';
import type { RetentionQuery } from './schema.ts';

const lengths = {
  day: { ms: dayMs, usual: 14, max: 60, words: '60 days' },
  week: { ms: 7 * dayMs, usual: 8, max: 27, words: '27 weeks' },
} as const;

type RangeQuery = Pick<RetentionQuery, 'granularity' | 'timezone' | 'periods' | 'from' | 'to'>;

/**
 * The periods of the range, and those after it in which its users may come back. Throws `invalid_parameter` if the
 * range is too long.
 */
export function periodsOf(query: RangeQuery, nowMs: number): { cohorts: Bucket[]; later: Bucket[] } {
  const { granularity, timezone, periods } = query;
  const { ms, usual, max, words } = lengths[granularity];
  const to = query.to ?? Math.max(nowMs, query.from ?? 0);
  const periodAt = (atMs: number) => localBucket(granularity, timezone, Math.floor(atMs / secondMs) * secondMs);
  // The last period of the range is that of its last moment. Clocks that changed do not lead out of the first one.
  const fromMs = query.from ?? periodAt(to - 1).startMs - (usual - 1) * ms + 12 * hourMs;
  if (fromMs > to) throw badParameter('from', 'out_of_range', 'must not be after to');
  if (to - fromMs > max * ms + hourMs) throw badParameter('from', 'out_of_range', `must be at most ${words} before to`);
  const all: Bucket[] = [];
  let { startMs } = periodAt(fromMs);
  let cohorts = 0;
  while (startMs < to || all.length < cohorts + periods) {
    if (startMs < to) cohorts += 1;
    const { label, endMs } = periodAt(startMs);
    all.push({ label, fromMs: startMs, toMs: endMs });
    startMs = endMs;
  }
  return { cohorts: all.slice(0, cohorts), later: all.slice(cohorts) };
}
