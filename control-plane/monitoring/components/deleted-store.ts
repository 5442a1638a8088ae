import { instant, type Sql } from '../../platform/db/sql.ts';

/** Deletes those of the components for good that were deleted before the instant. Returns how many. */
export function deleteForGood(sql: Sql, ids: readonly string[], beforeMs: number): Promise<number> {
  return sql.run`
    delete from components
    where id = any(${ids}::text[])
      and deleted_at < ${instant(beforeMs)}`;
}
