import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';

/** Results of a monitor in [fromMs, toMs), of which the newest `max` are read. */
export type ReadRange = { monitorId: string; fromMs: number; toMs: number; max: number };
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

/** Buckets of a length, oldest first, of all attempts that sent something; since when all results were read. */
export async function sumPings(
  sql: Sql,
  { monitorId, fromMs, toMs, max }: ReadRange,
  bucketMs: number,
): Promise<{ buckets: PingBucket[]; completeFromMs: number }> {
  const rows = await sql.rows<PingBucket & { complete_from: number | null }>`
    with newest as materialized (
      select scheduled_at, region, detail
      from check_results
      where monitor_id = ${monitorId}
        and scheduled_at >= ${instant(fromMs)}
        and scheduled_at < ${instant(toMs)}
      order by scheduled_at desc
      limit ${max}
    ),
    pings as (
      select
        date_bin(${`${bucketMs} milliseconds`}::interval, scheduled_at, '2000-01-01Z') as start,
        region,
        ${sent} as sent,
        ${received} as received,
        ${jitter} as jitter_ms
      from newest
    )
    select
      start,
      region,
      sum(sent)::integer as sent,
      sum(received)::integer as received,
      avg(jitter_ms) as jitter_ms,
      (select min(scheduled_at) from newest having count(*) = ${max}) as complete_from
    from pings
    group by start, region
    having sum(sent) > 0
    order by start, region`;
  const buckets = rows.map(({ complete_from: _, ...bucket }) => bucket);
  return { buckets, completeFromMs: rows[0]?.complete_from ?? fromMs };
}
