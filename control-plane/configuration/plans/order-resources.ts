import { lockPlaces } from '../../monitoring/components/order-store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { ConfigKind } from '../kinds/kind.ts';
import type { Api } from './endpoints.ts';
import { orderOf } from './order.ts';

/** A resource of the documents, in their order. */
type Placed = { id: string; parentId: string; isNew: boolean };

export type Moved = { id: string; before: number; after: number };

/** Puts routes, or the components of each page, into the order of the documents. Returns what has another position. */
export async function orderResources(
  kind: ConfigKind,
  api: Api,
  sql: Sql,
  projectId: string,
  placed: readonly Placed[],
): Promise<Moved[]> {
  const rows = await kind.rows(sql, projectId);
  const moved: Moved[] = [];
  for (const [parentId, group] of Map.groupBy(placed, ({ parentId: page }) => page)) {
    const present = rows.filter(row => row.parent_id === parentId).map(({ id }) => id);
    const isNew = new Set(group.filter(one => one.isNew).map(({ id }) => id));
    const documents = group.map(({ id }) => id);
    const ordered = orderOf(present, documents, isNew);
    if (ordered.every((id, index) => id === present[index])) continue;
    if (kind.type === 'routes') await api.act('/v0/routes/order', { ids: ordered });
    else {
      const groups = new Map((await lockPlaces(sql, projectId, parentId)).map(place => [place.id, place.group]));
      const components = ordered.map(id => ({ id, group: groups.get(id) ?? null }));
      await api.act('/v0/components/order', { status_page_id: parentId, components });
    }
    for (const [after, id] of ordered.entries()) {
      const before = present.indexOf(id);
      if (before !== after && documents.includes(id)) moved.push({ id, before, after });
    }
  }
  return moved;
}
