import { timeOfId } from '#shared/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { listErased } from './store.ts';

type Named = { id: string; projectId: string; actor: number | null; externalUserId: string | null };

/**
 * Leaves out what lay in the broker when the erasure of its user was requested: the id of an event says when it was
 * received.
 */
export async function withoutErased<Item>(
  sql: Sql,
  items: readonly Item[],
  eventOf: (item: Item) => Named,
): Promise<Item[]> {
  const users = items
    .map(eventOf)
    .flatMap(({ projectId, actor, externalUserId }) =>
      actor === null || externalUserId === null ? [] : [{ projectId, actor }],
    );
  if (users.length === 0) return [...items];
  const sinceMs = Math.max(0, Math.min(...items.map(item => timeOfId(eventOf(item).id))));
  const erased = await listErased(sql, users, sinceMs);
  const lastAt = new Map(erased.map(row => [`${row.project_id} ${row.actor}`, row.requested_at]));
  return items.filter(item => {
    const { id, projectId, actor, externalUserId } = eventOf(item);
    const requestedMs = externalUserId === null ? undefined : lastAt.get(`${projectId} ${actor}`);
    return requestedMs === undefined || timeOfId(id) > requestedMs;
  });
}
