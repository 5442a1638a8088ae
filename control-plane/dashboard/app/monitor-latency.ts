import type { Plot } from './latency-plot.ts';
import type { Bucket, Check } from './shapes.ts';

/** p50 and p95 of each hour; an hour that was not measured is a gap. */
export function hourlyPlot(buckets: readonly Bucket[], hours: number, nowMs: number): Plot {
  const byHour = new Map(buckets.map(bucket => [Date.parse(bucket.bucket), bucket.latency_ms]));
  const last = Math.floor(nowMs / 3_600_000) * 3_600_000;
  const starts = Array.from({ length: hours }, (_, index) => last - (hours - 1 - index) * 3_600_000);
  return {
    times: starts.map(start => start / 1000),
    lines: [
      { label: 'p50', values: starts.map(start => byHour.get(start)?.p50 ?? null) },
      { label: 'p95', values: starts.map(start => byHour.get(start)?.p95 ?? null) },
    ],
    joined: false,
  };
}

/** The last checks, a line for each region; a check without an answer has no point. */
export function regionPlot(checks: readonly Check[]): Plot {
  const measured = checks.filter(check => check.latency_ms !== null);
  const times = [...new Set(measured.map(check => Date.parse(check.scheduled_at) / 1000))].sort((a, b) => a - b);
  const regions = [...new Set(measured.map(check => check.region))].sort();
  const place = new Map(times.map((time, index) => [time, index]));
  const lines = regions.map(region => {
    const values = new Array<number | null>(times.length).fill(null);
    for (const check of measured) {
      const index = place.get(Date.parse(check.scheduled_at) / 1000);
      if (check.region === region && index !== undefined) values[index] = check.latency_ms;
    }
    return { label: region, values };
  });
  return { times, lines, joined: true };
}
