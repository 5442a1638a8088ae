import type { Sql } from '../../../platform/db/sql.ts';

/** How many checks per second all enabled monitors ask for. */
export async function sumDueChecks(sql: Sql): Promise<number> {
  const row = await sql.row<{ rate: number }>`
    select coalesce(sum(cardinality(regions)::float8 / interval_seconds), 0) as rate
    from monitors
    where enabled and deleted_at is null`;
  return row?.rate ?? 0;
}
