import type { Alert, CheckResult, UptimeBucket } from '../../data/api-types.ts';
import type { Plot, Span } from '../../parts/plot-scale.ts';

const hourMs = 3_600_000;

/** p50 and p95 of each hour up to the current one; an hour that was not measured is a gap. */
export function hourlyPlot(buckets: readonly UptimeBucket[], hours: number, nowMs: number): Plot {
  const byHour = new Map(buckets.map(bucket => [Date.parse(bucket.bucket), bucket.latency_ms]));
  const last = Math.floor(nowMs / hourMs) * hourMs;
  const starts = Array.from({ length: hours }, (_, index) => last - (hours - 1 - index) * hourMs);
  return {
    times: starts.map(start => start / 1000),
    lines: [
      { label: 'p50', values: starts.map(start => byHour.get(start)?.p50 ?? null) },
      { label: 'p95', values: starts.map(start => byHour.get(start)?.p95 ?? null) },
    ],
    joined: false,
  };
}

/** The latest checks, one line per region; a check without a response has no point. */
export function regionPlot(checks: readonly CheckResult[]): Plot {
  const measured = checks.filter(check => check.latency_ms !== null);
  const times = [...new Set(measured.map(timeOf))].sort((left, right) => left - right);
  const regions = [...new Set(measured.map(check => check.region))].sort();
  const indexOf = new Map(times.map((time, index) => [time, index]));
  const lines = regions.map(region => {
    const values = new Array<number | null>(times.length).fill(null);
    for (const check of measured) {
      const index = indexOf.get(timeOf(check));
      if (check.region === region && index !== undefined) values[index] = check.latency_ms;
    }
    return { label: region, values };
  });
  return { times, lines, joined: true };
}

function timeOf(check: CheckResult): number {
  return Date.parse(check.scheduled_at) / 1000;
}

/** When alerts that it is down were open, in seconds; one that is open still lasts until now. */
export function outageSpans(
  alerts: readonly Pick<Alert, 'kind' | 'started_at' | 'resolved_at'>[],
  nowMs: number,
): Span[] {
  return alerts
    .filter(({ kind }) => kind === 'down')
    .map(({ started_at, resolved_at }) => ({
      from: Date.parse(started_at) / 1000,
      to: (resolved_at === null ? nowMs : Date.parse(resolved_at)) / 1000,
    }));
}
