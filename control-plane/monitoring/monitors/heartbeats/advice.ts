import { secondMs } from '#shared/duration.ts';
import { graceMs, type Timing } from './expected.ts';

export const adviceKinds = ['interval_too_long', 'interval_too_short', 'grace_too_short'] as const;
/** What would fit the signals better than the settings do. */
export type Advice = { kind: (typeof adviceKinds)[number]; observed_seconds: number; suggested_seconds: number };

/** A success, and the time at which it was expected; null if none was. */
export type Success = { at: number; expectedAt: number | null };

export const successesMax = 20;
const successesMin = 6;

/** Pure: advice by the last successes, oldest first; null if there are too few or the settings fit. */
export function adviceOf(timing: Timing, successes: readonly Success[]): Advice | null {
  if (successes.length < successesMin) return null;
  const gaps = successes.slice(1).map(({ at }, index) => at - (successes[index]?.at ?? at));
  const grace = graceMs(timing, timing.intervalSeconds * secondMs);
  if (timing.cron === null) {
    const median = medianOf(gaps);
    const interval = timing.intervalSeconds * secondMs;
    const suggested = { observed_seconds: seconds(median), suggested_seconds: Math.max(30, seconds(median)) };
    if (median < interval / 2) return { kind: 'interval_too_long', ...suggested };
    if (median > interval + grace / 2) return { kind: 'interval_too_short', ...suggested };
  }
  const lateness = Math.max(...successes.map(({ at, expectedAt }) => (expectedAt === null ? 0 : at - expectedAt)));
  if (lateness <= 0.8 * grace) return null;
  return {
    kind: 'grace_too_short',
    observed_seconds: seconds(lateness),
    suggested_seconds: Math.min(604_800, seconds(2 * lateness)),
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 1 ? middle : middle - 1], sorted[middle]];
  return (low + high) / 2;
}

function seconds(ms: number): number {
  return Math.max(1, Math.round(ms / secondMs));
}
