import { hourMs } from '#shared/duration.ts';
import { Fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { readCurrentHour, sumRegions } from './current-hours.ts';
import { binCount, quantile } from './latency-bins.ts';

/** The checks of a monitor in all regions. */
export type RecentChecks = {
  /** Of the good checks. */
  p95Ms: number | null;
  /** The average latency of each hour, the oldest first; null for an hour without good checks. */
  averagesMs: (number | null)[];
  /** The share of checks that failed in each hour; null for an hour without checks. */
  errorRates: (number | null)[];
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

/** The checks of monitors in the last `hours` hours, from the roll-up. Monitors without checks are left out. */
export async function readRecentChecks(
  sql: Sql,
  ids: readonly string[],
  hours: number,
  nowMs: number,
): Promise<Map<string, RecentChecks>> {
  const firstMs = (Math.floor(nowMs / hourMs) - hours + 1) * hourMs;
  const rows = await sql.rows<Row>`
    with summed as (
      select
        h.monitor_id,
        max(h.latency_max) as highest,
        concat(${binSums}) as bins,
        string_agg(
          concat_ws(
            ' ',
            extract(epoch from h.hour)::bigint,
            ${samples},
            h.latency_sum,
            h.ok + h.warn + h.err,
            h.err
          ),
          ';'
        ) as by_hour
      from unnest(${[...ids]}::text[]) as wanted (id)
      join checks_hourly h on h.monitor_id = wanted.id
      where h.hour >= ${instant(firstMs)} and h.hour <= ${instant(nowMs)}
      group by h.monitor_id
    )
    select s.monitor_id, summed.highest, summed.bins, summed.by_hour, s.open_hour
    from unnest(${[...ids]}::text[]) as wanted (id)
    join monitor_states s on s.monitor_id = wanted.id
    left join summed on summed.monitor_id = wanted.id`;
  return new Map(
    rows.flatMap(row => {
      const checks = checksOf(row, firstMs, hours);
      return checks === null ? [] : [[row.monitor_id, checks] as const];
    }),
  );
}

type Row = {
  monitor_id: string;
  highest: number | null;
  bins: string | null;
  by_hour: string | null;
  open_hour: string | null;
};

/** Null without checks. Each hour has a row for each region, and the newest one is in the state. */
function checksOf(row: Row, firstMs: number, hours: number): RecentChecks | null {
  const sums = Array.from({ length: hours }, () => ({ samples: 0, ms: 0, checks: 0, failed: 0 }));
  for (const text of row.by_hour?.split(';') ?? []) {
    const [seconds = 0, samples = 0, ms = 0, checks = 0, failed = 0] = text.split(' ').map(Number);
    addTo(sums[(seconds * 1000 - firstMs) / hourMs], { samples, ms, checks, failed });
  }
  const open = row.open_hour === null ? null : readCurrentHour(row.open_hour);
  const hour = open === null ? -1 : (open.hour - firstMs) / hourMs;
  const newest = open === null || sums[hour] === undefined ? null : sumRegions(open);
  if (row.bins === null && newest === null) return null;
  if (newest !== null) addTo(sums[hour], sumOf(newest));
  const bins = row.bins?.split(' ').map(Number) ?? new Array<number>(binCount).fill(0);
  const all = newest === null ? bins : bins.map((count, bin) => count + (newest.bins[bin] ?? 0));
  return {
    p95Ms: quantile(all, 0.95, Math.max(row.highest ?? 0, newest?.latencyMax ?? 0)),
    averagesMs: sums.map(({ samples, ms }) => (samples === 0 ? null : Math.round(ms / samples))),
    errorRates: sums.map(({ checks, failed }) => (checks === 0 ? null : failed / checks)),
  };
}

type HourSum = { samples: number; ms: number; checks: number; failed: number };

function sumOf({ ok, warn, err, bins, latencySum }: ReturnType<typeof sumRegions>): HourSum {
  const samples = bins.reduce((sum, count) => sum + count, 0);
  return { samples, ms: latencySum, checks: ok + warn + err, failed: err };
}

function addTo(sum: HourSum | undefined, { samples, ms, checks, failed }: HourSum): void {
  if (sum === undefined) return;
  sum.samples += samples;
  sum.ms += ms;
  sum.checks += checks;
  sum.failed += failed;
}
