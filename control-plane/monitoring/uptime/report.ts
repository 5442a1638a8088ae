import { z } from 'zod';
import { dayMs, hourMs } from '#shared/duration.ts';
import { binCount, quantile } from '../checks/roll-up/latency-bins.ts';
import type { CheckTally } from '../checks/roll-up/tally-store.ts';
import { observedMs, type Spans, uptimeOf } from '../verdicts/spans.ts';
import { bucketName, type UptimeRange } from './range.ts';

/** A day is a date, an hour a time. */
const bucketSchema = z
  .string()
  .meta({ pattern: '^\\d{4}-\\d{2}-\\d{2}(T.*Z)?$', examples: ['2026-11-22'] })
  .describe('Start of the range: a date by day, a time by hour.');

export const uptimeSchema = z
  .object({
    data: z.array(
      z.object({
        bucket: bucketSchema.describe('The day as a date, or the start of the hour.'),
        uptime: z.number(),
        incidents: z.int(),
        down_seconds: z.number(),
        degraded_seconds: z.number(),
        observed_seconds: z.number(),
        imported_seconds: z.number(),
        excluded: z.object({
          paused_seconds: z.number(),
          maintenance_seconds: z.number(),
          undetermined_seconds: z.number(),
        }),
        checks: z.object({ ok: z.int(), warn: z.int(), err: z.int() }),
        latency_ms: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
      }),
    ),
    range: z.object({
      from: bucketSchema,
      to: bucketSchema.describe('End of the range: by day the last day, by hour exclusive.'),
    }),
    granularity: z.enum(['day', 'hour']),
  })
  .meta({ title: 'Uptime' });
export type UptimeReport = z.infer<typeof uptimeSchema>;

type Tally = { incidents: number; ok: number; warn: number; err: number; max: number; bins: number[] };

/** Pure: the report from the time by bucket and the checks by hour or day. Buckets nobody observed are left out. */
export function uptimeReport(
  range: UptimeRange,
  spans: readonly Spans[],
  checks: readonly CheckTally[],
  incidentStarts: readonly number[],
): UptimeReport {
  const tallies = tallyBuckets(range, checks);
  for (const start of incidentStarts) {
    const tally = tallies[bucketOf(range, start)];
    if (tally !== undefined) tally.incidents += 1;
  }
  const data = range.starts.flatMap((start, index) => {
    const bucket = viewBucket(bucketName(start, range.granularity), spans[index], tallies[index]);
    return bucket === null ? [] : [bucket];
  });
  return { data, range: range.shown, granularity: range.granularity };
}

function viewBucket(
  bucket: string,
  spans: Spans | undefined,
  tally: Tally | undefined,
): UptimeReport['data'][number] | null {
  const uptime = spans === undefined ? null : uptimeOf(spans);
  if (spans === undefined || tally === undefined || uptime === null) return null;
  return {
    bucket,
    uptime,
    incidents: tally.incidents,
    down_seconds: spans.down / 1000,
    degraded_seconds: spans.degraded / 1000,
    observed_seconds: observedMs(spans) / 1000,
    imported_seconds: spans.imported / 1000,
    excluded: {
      paused_seconds: spans.paused / 1000,
      maintenance_seconds: spans.maintenance / 1000,
      undetermined_seconds: spans.undetermined / 1000,
    },
    checks: { ok: tally.ok, warn: tally.warn, err: tally.err },
    latency_ms: { p50: quantile(tally.bins, 0.5, tally.max), p95: quantile(tally.bins, 0.95, tally.max) },
  };
}

function tallyBuckets(range: UptimeRange, checks: readonly CheckTally[]): Tally[] {
  const tallies = range.starts.map(
    (): Tally => ({ incidents: 0, ok: 0, warn: 0, err: 0, max: 0, bins: new Array<number>(binCount).fill(0) }),
  );
  for (const summed of checks) {
    const tally = tallies[bucketOf(range, summed.start)];
    if (tally === undefined) continue;
    tally.ok += summed.ok;
    tally.warn += summed.warn;
    tally.err += summed.err;
    tally.max = Math.max(tally.max, summed.latency_max);
    for (let bin = 0; bin < binCount; bin++) tally.bins[bin] = (tally.bins[bin] ?? 0) + (summed.latency_bins[bin] ?? 0);
  }
  return tallies;
}

function bucketOf({ starts, granularity }: UptimeRange, instantMs: number): number {
  const [first = 0] = starts;
  return Math.floor((instantMs - first) / (granularity === 'day' ? dayMs : hourMs));
}
