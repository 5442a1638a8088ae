import { instant, type Sql } from '../../../platform/db/sql.ts';

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
