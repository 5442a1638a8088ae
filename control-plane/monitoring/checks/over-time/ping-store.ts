import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import type { ReadRange } from './range-store.ts';

/** What pings of a region in a bucket came to. `start` in milliseconds; jitter is the mean of the results. */
export type PingBucket = {
  start: number;
  region: string;
  sent: number;
  received: number;
  jitter_ms: number | null;
};

/** A row with a template has its own figures in order, one without has all facts in its detail. */
const sent = fragment`coalesce(detail #>> '{own,ping,0}', detail #>> '{facts,ping,sent}')::integer`;
const received = fragment`coalesce(detail #>> '{own,ping,1}', detail #>> '{facts,ping,received}')::integer`;
const jitter = fragment`coalesce(detail #>> '{own,ping,5}', detail #>> '{facts,ping,jitter_ms}')::double precision`;

/** Buckets of a length, oldest first, of all attempts that sent something. */
export function sumPings(sql: Sql, { monitorId, fromMs, toMs }: ReadRange, bucketMs: number): Promise<PingBucket[]> {
  return sql.rows<PingBucket>`
    with pings as (
      select
        date_bin(${`${bucketMs} milliseconds`}::interval, scheduled_at, '2000-01-01Z') as start,
        region,
        ${sent} as sent,
        ${received} as received,
        ${jitter} as jitter_ms
      from check_results
      where monitor_id = ${monitorId}
        and scheduled_at >= ${instant(fromMs)}
        and scheduled_at < ${instant(toMs)}
    )
    select
      start,
      region,
      sum(sent)::integer as sent,
      sum(received)::integer as received,
      avg(jitter_ms) as jitter_ms
    from pings
    group by start, region
    having sum(sent) > 0
    order by start, region`;
}
