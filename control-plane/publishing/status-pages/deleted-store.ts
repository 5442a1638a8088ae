import { inPortions } from '../../platform/db/series/portions.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';

/**
 * Deletes pages for good that were deleted before the instant, once nothing is left of them: resolved incidents of a
 * deleted page can still be read. Its slugs stay reserved. Returns how many.
 */
export function purgeStatusPages(sql: Sql, beforeMs: number): Promise<number> {
  return inPortions(
    limit => sql.run`
      delete from status_pages
      where id in (
        select p.id
        from status_pages p
        where p.deleted_at < ${instant(beforeMs)}
          and not exists (select from incidents i where i.status_page_id = p.id)
          and not exists (select from incident_updates u where u.status_page_id = p.id)
          and not exists (select from components c where c.status_page_id = p.id)
          and not exists (select from subscribers s where s.status_page_id = p.id)
        order by p.deleted_at
        limit ${limit}
        for update skip locked
      )`,
  );
}
