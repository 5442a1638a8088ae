import { Fragment, fragment, instant, type Sql } from '../db/sql.ts';
import { binCount, binsPerDoubling } from './latency-bins.ts';
import { deleteDays } from './tally-store.ts';

const hourlyColumns = fragment`monitor_id, hour, region, ok, warn, err, latency_sum, latency_max, latency_bins`;
const bins = Array.from({ length: binCount }, (_, bin) => bin);

/** SQL made of our own text and numbers. */
const generated = (text: string) => new Fragment([text], []);
const perBin = (text: (bin: number) => string) => generated(bins.map(text).join(', '));
const oneHot = (chosen: number) => `'{${bins.map(bin => (bin === chosen ? 1 : 0)).join(',')}}'::smallint[]`;

const oneHotRows = perBin(bin => `(${bin}::smallint, ${oneHot(bin)})`);
const noBin = generated(oneHot(-1));
const binCounts = perBin(bin => `count(*) filter (where bin = ${bin})`);
/** A bin is a smallint: once full it stays so, and the hour's percentiles with it. */
const binMax = 32_767;
const binSum = (bin: string) =>
  `least(hourly.latency_bins[${bin}]::integer + excluded.latency_bins[${bin}], ${binMax})::smallint`;
const binSums = perBin(bin => binSum(`${bin + 1}`));
const onlyBin = 'coalesce(array_position(excluded.latency_bins, 1::smallint), 1)';
const excludedBin = generated(onlyBin);
const excludedBinSum = generated(binSum(onlyBin));
const hour = fragment`date_bin('1 hour', scheduled_at, '2000-01-01Z')`;

const addedSums = fragment`
      ok = hourly.ok + excluded.ok,
      warn = hourly.warn + excluded.warn,
      err = hourly.err + excluded.err,
      latency_sum = hourly.latency_sum + excluded.latency_sum,
      latency_max = greatest(hourly.latency_max, excluded.latency_max)`;

/**
 * Two common table expressions that add the results in `fresh` to the hourly roll-up. Rows alone in their hour, as
 * nearly all of a batch are, touch one bin: 3 µs of 23 per row less than adding all 48.
 */
export const rollUp = fragment`
    rolled_alone as (
      insert into checks_hourly as hourly (${hourlyColumns})
      select
        monitor_id,
        ${hour},
        region,
        (status = 'ok')::integer,
        (status = 'warn')::integer,
        (status = 'err')::integer,
        case when bin is null then 0 else latency_ms end,
        case when bin is null then 0 else latency_ms end,
        coalesce(one_hot.bins, ${noBin})
      from fresh
      left join (values ${oneHotRows}) as one_hot (bin, bins) using (bin)
      where in_hour = 1
      order by 1, 2, 3
      on conflict (monitor_id, hour, region) do update
      set ${addedSums},
        latency_bins[${excludedBin}] = ${excludedBinSum}
    ), rolled_together as (
      insert into checks_hourly as hourly (${hourlyColumns})
      select
        monitor_id,
        ${hour},
        region,
        count(*) filter (where status = 'ok'),
        count(*) filter (where status = 'warn'),
        count(*) filter (where status = 'err'),
        coalesce(sum(latency_ms) filter (where bin is not null), 0),
        coalesce(max(latency_ms) filter (where bin is not null), 0),
        array[${binCounts}]::smallint[]
      from fresh
      where in_hour > 1
      group by 1, 2, 3
      order by 1, 2, 3
      on conflict (monitor_id, hour, region) do update
      set ${addedSums},
        latency_bins = array[${binSums}]::smallint[]
    )`;

const binOfLatency = `ceil(log(2, greatest(latency_ms, 1)::numeric) * ${binsPerDoubling})`;
const rawBinCounts = perBin(bin => {
  const isInBin = bin === binCount - 1 ? `${binOfLatency} >= ${bin}` : `${binOfLatency} = ${bin}`;
  return `least(count(*) filter (where status <> 'err' and latency_ms is not null and ${isInBin}), ${binMax})`;
});

/** Recomputes the hours of one monitor in [from, to) from raw results. For repairs; not needed in normal operation. */
export async function rebuildHours(sql: Sql, monitorId: string, fromMs: number, toMs: number): Promise<void> {
  await deleteHoursBetween(sql, monitorId, fromMs, toMs);
  await deleteDays(sql, [monitorId], fromMs, toMs);
  await sql.run`
    insert into checks_hourly (${hourlyColumns})
    select
      monitor_id,
      ${hour},
      region,
      count(*) filter (where status = 'ok'),
      count(*) filter (where status = 'warn'),
      count(*) filter (where status = 'err'),
      coalesce(sum(latency_ms) filter (where status <> 'err'), 0),
      coalesce(max(latency_ms) filter (where status <> 'err'), 0),
      array[${rawBinCounts}]::smallint[]
    from check_results
    where monitor_id = ${monitorId}
      and scheduled_at >= ${instant(fromMs)}
      and scheduled_at < ${instant(toMs)}
      and kind = 'scheduled'
      and attempt = 1
    group by 1, 2, 3`;
}

async function deleteHoursBetween(sql: Sql, monitorId: string, fromMs: number, toMs: number): Promise<void> {
  await sql.run`
    delete from checks_hourly
    where monitor_id = ${monitorId} and hour >= ${instant(fromMs)} and hour < ${instant(toMs)}`;
}

/** Deletes the roll-up of whole monitors. */
export async function deleteHoursOf(sql: Sql, monitorIds: readonly string[]): Promise<void> {
  await sql.run`delete from checks_hourly where monitor_id = any(${monitorIds}::text[])`;
}
