import { inPortions } from '../../platform/db/series/portions.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';

/**
 * Deletes components for good that were deleted before the instant, except those that an incident of their page still
 * names. Returns how many.
 */
export function purgeComponents(sql: Sql, beforeMs: number): Promise<number> {
  return inPortions(
    limit => sql.run`
      delete from components
      where id in (
        select c.id
        from components c
        where c.deleted_at < ${instant(beforeMs)}
          and not exists (
            select
            from incidents i
            where i.status_page_id = c.status_page_id and c.id = any(i.affected_components)
          )
        order by c.deleted_at
        limit ${limit}
        for update skip locked
      )`,
  );
}
