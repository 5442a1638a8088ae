import type { Sql } from '../../platform/db/sql.ts';
import { checkedRegions } from '../monitors/store.ts';

/** How many checks per second are due in each of these private regions. */
export async function readDueRates(sql: Sql, regions: readonly string[]): Promise<{ region: string; rate: number }[]> {
  return sql.rows`
    select r.code as region, coalesce(sum(1.0 / m.interval_seconds), 0)::float8 as rate
    from regions r
    left join monitors m
      on m.project_id = r.project_id and m.enabled and m.deleted_at is null and r.code = any(${checkedRegions})
    where r.code = any(${regions}::text[])
    group by r.code`;
}
