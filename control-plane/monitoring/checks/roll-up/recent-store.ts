import { hourMs } from '#shared/duration.ts';
import { Fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { readCurrentHour, sumRegions } from './current-hours.ts';
import { binCount, quantile } from './latency-bins.ts';

/** The latency of a monitor's good checks in all regions. */
export type RecentLatency = {
  p95Ms: number | null;
  /** The average of each hour, the oldest first; null for an hour without good checks. */
  averagesMs: (number | null)[];
};

const binSums = new Fragment(
  [Array.from({ length: binCount }, (_, bin) => `coalesce(sum(latency_bins[${bin + 1}]), 0)::integer`).join(", ' ', ")],
  [],
);

/** The checks of an hour whose latency counts: not those during which the agent stood still. */
const samples = new Fragment(
  [Array.from({ length: binCount }, (_, bin) => `h.latency_bins[${bin + 1}]::integer`).join(' + ')],
  [],
);

/** The latency of monitors in the last `hours` hours, from the roll-up. Monitors without checks are left out. */
export async function readRecentLatency(
  sql: Sql,
  ids: readonly string[],
  hours: number,
  nowMs: number,
): Promise<Map<string, RecentLatency>> {
  const firstMs = (Math.floor(nowMs / hourMs) - hours + 1) * hourMs;
  const rows = await sql.rows<Row>`
    with summed as (
      select
        h.monitor_id,
        max(h.latency_max) as highest,
        concat(${binSums}) as bins,
        string_agg(concat_ws(' ', extract(epoch from h.hour)::bigint, ${samples}, h.latency_sum), ';') as averages
      from unnest(${[...ids]}::text[]) as wanted (id)
      join checks_hourly h on h.monitor_id = wanted.id
      where h.hour >= ${instant(firstMs)} and h.hour <= ${instant(nowMs)}
      group by h.monitor_id
    )
    select s.monitor_id, summed.highest, summed.bins, summed.averages, s.open_hour
    from unnest(${[...ids]}::text[]) as wanted (id)
    join monitor_states s on s.monitor_id = wanted.id
    left join summed on summed.monitor_id = wanted.id`;
  return new Map(
    rows.flatMap(row => {
      const latency = latencyOf(row, firstMs, hours);
      return latency === null ? [] : [[row.monitor_id, latency] as const];
    }),
  );
}

type Row = {
  monitor_id: string;
  highest: number | null;
  bins: string | null;
  averages: string | null;
  open_hour: string | null;
};

/** Null without checks. Each hour has a row for each region, and the newest one is in the state. */
function latencyOf(row: Row, firstMs: number, hours: number): RecentLatency | null {
  const sums = Array.from({ length: hours }, () => ({ count: 0, ms: 0 }));
  for (const text of row.averages?.split(';') ?? []) {
    const [seconds = 0, count = 0, ms = 0] = text.split(' ').map(Number);
    addTo(sums[(seconds * 1000 - firstMs) / hourMs], count, ms);
  }
  const open = row.open_hour === null ? null : readCurrentHour(row.open_hour);
  const hour = open === null ? -1 : (open.hour - firstMs) / hourMs;
  const newest = open === null || sums[hour] === undefined ? null : sumRegions(open);
  if (row.bins === null && newest === null) return null;
  if (newest !== null) addTo(sums[hour], countOf(newest.bins), newest.latencySum);
  const bins = row.bins?.split(' ').map(Number) ?? new Array<number>(binCount).fill(0);
  const all = newest === null ? bins : bins.map((count, bin) => count + (newest.bins[bin] ?? 0));
  return {
    p95Ms: quantile(all, 0.95, Math.max(row.highest ?? 0, newest?.latencyMax ?? 0)),
    averagesMs: averagesOf(sums),
  };
}

function countOf(bins: readonly number[]): number {
  return bins.reduce((sum, count) => sum + count, 0);
}

type LatencySum = { count: number; ms: number };

function addTo(sum: LatencySum | undefined, count: number, ms: number): void {
  if (sum === undefined) return;
  sum.count += count;
  sum.ms += ms;
}

function averagesOf(sums: readonly LatencySum[]): (number | null)[] {
  return sums.map(({ count, ms }) => (count === 0 ? null : Math.round(ms / count)));
}
