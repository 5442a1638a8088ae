import type { Impact } from '#shared/vocabulary.ts';
import { deleteForGood } from '../../monitoring/components/deleted-store.ts';
import type { PlacedComponent } from '../../monitoring/components/pages.ts';
import { inPortions } from '../../platform/db/series/portions.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';

/** The impacts of the open incidents that affect each component, by its id; without components that none affects. */
export async function listOpenImpacts(
  sql: Sql,
  components: readonly PlacedComponent[],
): Promise<Map<string, Impact[]>> {
  if (components.length === 0) return new Map();
  const rows = await sql.rows<{ component_id: string; impact: Impact }>`
    select c.id as component_id, i.impact
    from unnest(
      ${components.map(({ id }) => id)}::text[],
      ${components.map(component => component.status_page_id)}::text[]
    ) as c (id, status_page_id)
    join incidents i on i.status_page_id = c.status_page_id
    where i.resolved_at is null
      and i.deleted_at is null
      and c.id = any(i.affected_components)`;
  const byComponent = Map.groupBy(rows, row => row.component_id);
  return new Map([...byComponent].map(([id, found]) => [id, found.map(({ impact }) => impact)]));
}

/**
 * Deletes components for good that were deleted before the instant, except those that an incident of their page still
 * names: none that is deleted is named anew. Returns how many.
 */
export function purgeComponents(sql: Sql, beforeMs: number): Promise<number> {
  return inPortions(async limit => deleteForGood(sql, await listUnnamed(sql, beforeMs, limit), beforeMs));
}

async function listUnnamed(sql: Sql, beforeMs: number, limit: number): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select c.id
    from components c
    where c.deleted_at < ${instant(beforeMs)}
      and not exists (
        select
        from incidents i
        where i.status_page_id = c.status_page_id and c.id = any(i.affected_components)
      )
    order by c.deleted_at
    limit ${limit}`;
  return rows.map(row => row.id);
}
