import { hourMs } from '#shared/duration.ts';
import { Fragment, instant, type Sql } from '../db/sql.ts';
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

/** The latency of monitors in the last `hours` hours, from the roll-up. Monitors without checks are left out. */
export async function readRecentLatency(
  sql: Sql,
  ids: readonly string[],
  hours: number,
  nowMs: number,
): Promise<Map<string, RecentLatency>> {
  const firstMs = (Math.floor(nowMs / hourMs) - hours + 1) * hourMs;
  const rows = await sql.rows<{ monitor_id: string; highest: number; bins: string; averages: string }>`
    select
      h.monitor_id,
      max(h.latency_max) as highest,
      concat(${binSums}) as bins,
      string_agg(concat_ws(' ', extract(epoch from h.hour)::bigint, h.ok + h.warn, h.latency_sum), ';') as averages
    from unnest(${[...ids]}::text[]) as wanted (id)
    join checks_hourly h on h.monitor_id = wanted.id
    where h.hour >= ${instant(firstMs)} and h.hour <= ${instant(nowMs)}
    group by h.monitor_id`;
  return new Map(
    rows.map(row => [
      row.monitor_id,
      {
        p95Ms: quantile(row.bins.split(' ').map(Number), 0.95, row.highest),
        averagesMs: averagesOf(row.averages, firstMs, hours),
      },
    ]),
  );
}

/** Each hour has a row for each region. */
function averagesOf(text: string, firstMs: number, hours: number): (number | null)[] {
  const sums = Array.from({ length: hours }, () => ({ count: 0, ms: 0 }));
  for (const row of text.split(';')) {
    const [seconds = 0, count = 0, ms = 0] = row.split(' ').map(Number);
    const sum = sums[(seconds * 1000 - firstMs) / hourMs];
    if (sum === undefined) continue;
    sum.count += count;
    sum.ms += ms;
  }
  return sums.map(({ count, ms }) => (count === 0 ? null : Math.round(ms / count)));
}
