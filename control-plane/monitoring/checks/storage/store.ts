import { instants, smallints, texts } from '../../../platform/db/binary-array.ts';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import { deleteHoursOf } from '../roll-up/hourly-store.ts';
import { deleteDays } from '../roll-up/tally-store.ts';
import { deleteTotalsOf } from '../roll-up/total-store.ts';
import type { Sample, Window } from '../roll-up/window-p95.ts';
import { deleteFailuresOf } from './failure-store.ts';
import type { NewResult } from './insert-store.ts';
import { deleteShapesOf } from './shape-store.ts';

/** More than three regions yield in a day at the shortest interval. */
const samplesMax = 30_000;

/**
 * Samples with `scheduled_at` in (after, until] besides those of `except`; the newest if there are very many. As two
 * texts, since a row per sample takes our side ten times as long.
 */
export async function samplesIn(
  sql: Sql,
  monitorId: string,
  { afterMs, untilMs }: Window,
  except: readonly NewResult[],
): Promise<Sample[]> {
  const row = await sql.row<{ instants: string | null; latencies: string | null }>`
    select
      string_agg((extract(epoch from scheduled_at) * 1000)::bigint::text, ' ') as instants,
      string_agg(latency_ms::text, ' ') as latencies
    from (
      select scheduled_at, latency_ms
      from check_results r
      where monitor_id = ${monitorId}
        and scheduled_at > ${instant(afterMs)}
        and scheduled_at <= ${instant(untilMs)}
        and kind = 'scheduled'
        and status in ('ok', 'warn')
        and latency_ms is not null
        and (scheduled_at, region, attempt) not in (
          select e.scheduled_at, e.region, e.attempt
          from unnest(
            ${instants(except.map(result => result.scheduled_at))}::timestamptz[],
            ${texts(except.map(result => result.region))}::text[],
            ${smallints(except.map(result => result.attempt))}::smallint[]
          ) as e (scheduled_at, region, attempt)
        )
      order by scheduled_at desc
      limit ${samplesMax}
    ) as newest`;
  const latencies = numbersIn(row?.latencies);
  return numbersIn(row?.instants).map((at, index) => ({ scheduled_at: at, latency_ms: latencies[index] ?? 0 }));
}

function numbersIn(text: string | null | undefined): number[] {
  return text === null || text === undefined ? [] : text.split(' ').map(Number);
}

/** An hour of a monitor in a region; `hour` is its start. */
export type HourOfRegion = { monitorId: string; region: string; hour: number };

/** How many results are stored in each hour, counted up to `max`. */
export async function countRows(
  sql: Sql,
  hours: readonly HourOfRegion[],
  max: number,
): Promise<(HourOfRegion & { rows: number })[]> {
  return sql.rows<HourOfRegion & { rows: number }>`
    select h.monitor_id as "monitorId", h.region, h.hour, counted.rows
    from unnest(
      ${hours.map(hour => hour.monitorId)}::text[],
      ${hours.map(hour => hour.region)}::text[],
      ${hours.map(hour => instant(hour.hour))}::timestamptz[]
    ) as h (monitor_id, region, hour)
    cross join lateral (
      select count(*)::integer as rows
      from (
        select 1
        from check_results r
        where r.monitor_id = h.monitor_id
          and r.region = h.region
          and r.scheduled_at >= h.hour
          and r.scheduled_at < h.hour + interval '1 hour'
        limit ${max}
      ) as found
    ) as counted`;
}

/** Deletes raw results, their shapes and the roll-up of whole monitors. */
export async function deleteResultsOf(sql: Sql, monitorIds: readonly string[]): Promise<void> {
  await sql.run`delete from check_results where monitor_id = any(${monitorIds}::text[])`;
  await deleteShapesOf(sql, monitorIds);
  await deleteHoursOf(sql, monitorIds);
  await deleteDays(sql, monitorIds);
  await deleteTotalsOf(sql, monitorIds);
  await deleteFailuresOf(sql, monitorIds);
}
