import { inPortions } from '../../platform/db/series/portions.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';

/** Deletes maintenances for good that were deleted before the instant, with their occurrences. Returns how many. */
export function purgeMaintenances(sql: Sql, beforeMs: number): Promise<number> {
  return inPortions(
    limit => sql.run`
      delete from maintenances
      where id in (
        select id
        from maintenances
        where deleted_at < ${instant(beforeMs)}
        order by deleted_at
        limit ${limit}
        for update skip locked
      )`,
  );
}
