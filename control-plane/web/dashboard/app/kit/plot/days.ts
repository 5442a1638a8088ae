import type { UptimeBucket } from '../../session/api-types.ts';
import { formatLongDuration } from '../../session/time.ts';
import { plural } from '../plural.ts';

export const daysShown = 90;
const dayMs = 86_400_000;

/** One day of uptime. The level is `none` if nothing was measured, which is never shown as up. */
export type Day = {
  date: string;
  level: 'none' | 'up' | 'degraded' | 'partial' | 'down';
  bucket: UptimeBucket | null;
};

/** The last `count` days up to today in UTC, oldest first; a day without a bucket was not measured. */
export function daysOf(buckets: readonly UptimeBucket[], nowMs: number, count = daysShown): Day[] {
  const byDate = new Map(buckets.map(bucket => [bucket.bucket, bucket]));
  return Array.from({ length: count }, (_, index) => {
    const date = dateBefore(nowMs, count - 1 - index);
    const bucket = byDate.get(date) ?? null;
    return { date, level: bucket === null ? 'none' : levelOf(bucket), bucket };
  });
}

/** The date in UTC that many days ago, as `2026-11-21`. */
export function dateBefore(nowMs: number, days: number): string {
  return new Date(nowMs - days * dayMs).toISOString().slice(0, 10);
}

/** Uptime over the measured time, from 0 to 1; null if nothing was measured. */
export function uptimeOf(days: readonly Day[]): number | null {
  let [up, observed] = [0, 0];
  for (const { bucket } of days) {
    up += bucket === null ? 0 : bucket.observed_seconds - bucket.down_seconds;
    observed += bucket?.observed_seconds ?? 0;
  }
  return observed === 0 ? null : up / observed;
}

/** Rounded down: only uptime without any downtime reads 100%. */
export function formatPercent(fraction: number): string {
  if (fraction >= 1) return '100%';
  const digits = fraction >= 0.999 ? 3 : 2;
  return `${(Math.floor(fraction * 100 * 10 ** digits) / 10 ** digits).toFixed(digits)}%`;
}

function levelOf({ down_seconds, degraded_seconds, observed_seconds }: UptimeBucket): Day['level'] {
  if (observed_seconds === 0) return 'none';
  if (down_seconds >= 3600 || down_seconds > observed_seconds / 2) return 'down';
  if (down_seconds > 0) return 'partial';
  return degraded_seconds > 0 ? 'degraded' : 'up';
}

/** `2026-11-20: 99.9%, down 1 min 26 s`. */
export function describeDay({ date, bucket }: Day): string {
  if (bucket === null) return `${date}: no data`;
  const { uptime, down_seconds, degraded_seconds } = bucket;
  const down = down_seconds > 0 ? `, down ${formatLongDuration(down_seconds * 1000)}` : '';
  const degraded = degraded_seconds > 0 ? `, degraded ${formatLongDuration(degraded_seconds * 1000)}` : '';
  const imported = isImported(bucket) ? ', brought from another tool' : '';
  return `${date}: ${formatPercent(uptime)}${down}${degraded}${imported}`;
}

/** Whether a day has verdicts of another tool. */
export function isImported(bucket: UptimeBucket | null): boolean {
  return bucket !== null && bucket.imported_seconds > 0;
}

/** The days in a sentence, for screen readers. */
export function describeDays(days: readonly Day[]): string {
  const uptime = uptimeOf(days);
  if (uptime === null) return `${days.length} days: no data`;
  const withDowntime = days.filter(day => day.level === 'down' || day.level === 'partial').length;
  const withoutData = days.filter(day => day.level === 'none').length;
  const imported = days.filter(({ bucket }) => isImported(bucket)).length;
  const brought = imported === 0 ? '' : `, ${plural(imported, 'day')} brought from another tool`;
  return (
    `${days.length} days: ${formatPercent(uptime)} up, ` +
    `${plural(withDowntime, 'day')} with downtime, ${plural(withoutData, 'day')} without data${brought}`
  );
}
