import { instant, type Sql } from '../../../platform/db/sql.ts';

/** Results of a monitor in [fromMs, toMs). */
export type ReadRange = { monitorId: string; fromMs: number; toMs: number };

/** The range without its oldest results if it has more than `max`. Results of one instant are left out together. */
export async function newestResults(sql: Sql, range: ReadRange, max: number): Promise<ReadRange> {
  const [left] = await sql.rows<{ scheduled_at: number }>`
    select scheduled_at
    from check_results
    where monitor_id = ${range.monitorId}
      and scheduled_at >= ${instant(range.fromMs)}
      and scheduled_at < ${instant(range.toMs)}
    order by scheduled_at desc
    offset ${max}
    limit 1`;
  return left === undefined ? range : { ...range, fromMs: left.scheduled_at + 1 };
}
