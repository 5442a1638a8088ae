import type { Sql } from '../../platform/db/sql.ts';

/** Those of the ids that are not monitors of the project. */
export async function unknownMonitors(sql: Sql, projectId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from monitors
    where project_id = ${projectId}
      and id = any(${ids}::text[])
      and deleted_at is null`;
  return withoutFound(ids, rows);
}

/** Those of the ids that are not components of the project, or of the page if one is given. Locks the others. */
export async function unknownComponents(
  sql: Sql,
  projectId: string,
  ids: readonly string[],
  statusPageId: string | null = null,
): Promise<string[]> {
  if (ids.length === 0) return [];
  // Locked, so that none is deleted before the reference to it is committed.
  const rows = await sql.rows<{ id: string }>`
    select id
    from components
    where project_id = ${projectId}
      and id = any(${ids}::text[])
      and deleted_at is null
      and (${statusPageId}::text is null or status_page_id = ${statusPageId}::text)
    order by id
    for share`;
  return withoutFound(ids, rows);
}

/** The components that a monitor drives. */
export async function listComponentsOf(sql: Sql, monitorId: string): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select component_id as id
    from component_monitors
    where monitor_id = ${monitorId}`;
  return rows.map(row => row.id);
}

/** The components with their names and pages. */
export async function listPagesOfComponents(
  sql: Sql,
  ids: readonly string[],
): Promise<{ id: string; name: string; status_page_id: string }[]> {
  if (ids.length === 0) return [];
  return sql.rows`
    select id, name, status_page_id
    from components
    where id = any(${ids}::text[])
    order by id`;
}

function withoutFound(ids: readonly string[], rows: readonly { id: string }[]): string[] {
  const found = new Set(rows.map(row => row.id));
  return ids.filter(id => !found.has(id));
}
