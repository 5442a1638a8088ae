import type { Monitor } from '../../session/api-types.ts';

/** How monitors did, in figures; null where nothing was measured. */
export type Glance = {
  /** The average of the last 30 days. */
  uptime: number | null;
  /** The median of their p95 of the last 24 hours. */
  p95Ms: number | null;
  /** Those to look at first: with the most failures in 24 hours, then the slowest. */
  monitors: readonly Monitor[];
};

export function glanceOf(all: readonly Monitor[]): Glance {
  const watched = all.filter(({ status }) => status !== 'paused');
  const uptimes = watched.flatMap(({ summary }) => summary?.uptime_30d ?? []);
  const latencies = watched.flatMap(({ summary }) => summary?.p95_ms ?? []);
  return {
    uptime: uptimes.length === 0 ? null : uptimes.reduce((sum, each) => sum + each, 0) / uptimes.length,
    p95Ms: latencies.toSorted((left, right) => left - right)[Math.floor(latencies.length / 2)] ?? null,
    monitors: watched.toSorted(
      (left, right) =>
        failuresOf(right) - failuresOf(left) || p95Of(right) - p95Of(left) || left.name.localeCompare(right.name),
    ),
  };
}

function failuresOf({ summary }: Monitor): number {
  return (summary?.hourly_error_rate ?? []).reduce<number>((sum, rate) => sum + (rate ?? 0), 0);
}

function p95Of({ summary }: Monitor): number {
  return summary?.p95_ms ?? 0;
}
