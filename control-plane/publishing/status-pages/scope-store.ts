import type { Sql } from '../../platform/db/sql.ts';

/** Those of the ids that are not status pages of the project. */
export async function unknownPages(sql: Sql, projectId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from status_pages
    where project_id = ${projectId}
      and id = any(${ids}::text[])
      and deleted_at is null
    order by id
    for share`;
  const found = new Set(rows.map(row => row.id));
  return ids.filter(id => !found.has(id));
}

/** The pages that are in a scope, by themselves or by their components. */
export async function listScopePages(
  sql: Sql,
  scope: { component_ids: readonly string[]; status_page_ids: readonly string[] },
): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select p.id
    from status_pages p
    where p.deleted_at is null
      and (
        p.id = any(${scope.status_page_ids}::text[])
        or exists (
          select
          from components c
          where c.status_page_id = p.id and c.deleted_at is null and c.id = any(${scope.component_ids}::text[])
        )
      )
    order by p.id`;
  return rows.map(row => row.id);
}
