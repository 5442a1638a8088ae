import type { Plot, Span } from '../../../kit/plot/plot-scale.ts';
import type { Alert, CheckResult, UptimeBucket } from '../../../session/api-types.ts';
import { phaseNames } from '../checks/waterfall.ts';
import type { Shown } from './stretches.ts';

/** p50 and p95 of each hour or day of which a part is shown; one that was not measured is a gap. */
export function bucketPlot(buckets: readonly UptimeBucket[], stepMs: number, { fromMs, toMs }: Shown): Plot {
  const byStart = new Map(buckets.map(bucket => [Date.parse(bucket.bucket), bucket.latency_ms]));
  const [first, last] = [fromMs, toMs].map(ms => Math.floor(ms / stepMs)) as [number, number];
  const starts = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * stepMs);
  return {
    times: starts.map(start => start / 1000),
    lines: [
      { label: 'p50', values: starts.map(start => byStart.get(start)?.p50 ?? null) },
      { label: 'p95', values: starts.map(start => byStart.get(start)?.p95 ?? null) },
    ],
    joined: false,
  };
}

/** Shown only where a check has them. */
const rarePhases: readonly string[] = ['proxy_ms', 'starttls_ms'];
const minuteMs = 60_000;

/**
 * The average time of each phase in each minute, one upon the other: the topmost line is the whole. Checks whose agent
 * stood still are left out.
 */
export function phasePlot(checks: readonly Pick<CheckResult, 'scheduled_at' | 'timings' | 'delayed_ms'>[]): Plot {
  const minuteOf = ({ scheduled_at }: { scheduled_at: string }) => Math.floor(Date.parse(scheduled_at) / minuteMs);
  const byMinute = Map.groupBy(
    checks.filter(({ timings, delayed_ms }) => timings !== null && delayed_ms === null),
    minuteOf,
  );
  const phases = phaseNames.filter(
    // The time to a token is no part of the latency.
    name => name !== 'auth_ms' && (!rarePhases.includes(name) || checks.some(({ timings }) => timings?.[name] != null)),
  );
  const minutes = [...byMinute.keys()].sort((left, right) => left - right);
  const sums = phases.map((_, index) =>
    minutes.map(minute => {
      const found = byMinute.get(minute) ?? [];
      const total = found.reduce(
        (sum, { timings }) => sum + phases.slice(0, index + 1).reduce((own, name) => own + (timings?.[name] ?? 0), 0),
        0,
      );
      return total / Math.max(1, found.length);
    }),
  );
  return {
    times: minutes.map(minute => (minute * minuteMs) / 1000),
    // The highest sum is drawn first, so that the others stand before it.
    lines: phases
      .map((name, index) => ({ label: name.replace('_ms', '').replace('_', ' '), values: sums[index] ?? [] }))
      .toReversed(),
    joined: true,
    stacked: true,
  };
}

/** The latest checks, one line per region; a check without a response, or whose agent stood still, has none. */
export function regionPlot(checks: readonly CheckResult[]): Plot {
  const measured = checks.filter(check => check.latency_ms !== null && check.delayed_ms === null);
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
