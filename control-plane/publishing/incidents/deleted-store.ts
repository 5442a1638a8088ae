import { inPortions } from '../../platform/db/series/portions.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';

/** Deletes incidents for good that were deleted before the instant, with their updates. Returns how many. */
export function purgeIncidents(sql: Sql, beforeMs: number): Promise<number> {
  return inPortions(
    limit => sql.run`
      delete from incidents
      where id in (
        select id
        from incidents
        where deleted_at < ${instant(beforeMs)}
        order by deleted_at
        limit ${limit}
        for update skip locked
      )`,
  );
}
