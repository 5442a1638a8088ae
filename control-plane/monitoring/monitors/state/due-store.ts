import type { Sql } from '../../../platform/db/sql.ts';
import { checkedRegions } from '../store.ts';

/** How many checks per second all enabled monitors ask for. */
export async function sumDueChecks(sql: Sql): Promise<number> {
  const row = await sql.row<{ rate: number }>`
    select coalesce(sum(cardinality(${checkedRegions})::float8 / m.interval_seconds), 0) as rate
    from monitors m
    where m.enabled and m.deleted_at is null`;
  return row?.rate ?? 0;
}
