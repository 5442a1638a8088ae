import { instant, type Sql } from '../../platform/db/sql.ts';

/** Where a component stands on its page. */
export type Place = { id: string; group: string | null };

/** The places of a page's components in their order. Locks them until the end of the transaction. */
export async function lockPlaces(sql: Sql, projectId: string, statusPageId: string): Promise<Place[]> {
  const rows = await sql.rows<Place & { position: number; created_at: number }>`
    select id, group_name as "group", position, created_at
    from components
    where project_id = ${projectId}
      and status_page_id = ${statusPageId}
      and deleted_at is null
    order by id
    for update`;
  return rows
    .toSorted((left, right) => left.position - right.position || left.created_at - right.created_at)
    .map(({ id, group }) => ({ id, group }));
}

/** Gives the components these places. Returns the ids of those that changed. */
export async function writePlaces(
  sql: Sql,
  projectId: string,
  places: readonly Place[],
  nowMs: number,
): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    update components c
    set position = given.position - 1, group_name = given.group_name, updated_at = ${instant(nowMs)}
    from unnest(
      ${places.map(place => place.id)}::text[],
      ${places.map(place => place.group)}::text[]
    ) with ordinality as given (id, group_name, position)
    where c.project_id = ${projectId}
      and c.id = given.id
      and (c.position <> given.position - 1 or c.group_name is distinct from given.group_name)
    returning c.id`;
  return rows.map(row => row.id);
}
