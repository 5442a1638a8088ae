import { timeOfId } from '#shared/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { listErased } from './store.ts';

type Sent = { id: string; projectId: string; actor: number | null };

/**
 * Leaves out what lay in the broker when the erasure of its user, or of the user of its session, was requested: the id
 * of an event says when it was received.
 */
export async function withoutErased<Item>(
  sql: Sql,
  items: readonly Item[],
  eventOf: (item: Item) => Sent,
): Promise<Item[]> {
  const senders = items.map(eventOf).flatMap(({ projectId, actor }) => (actor === null ? [] : [{ projectId, actor }]));
  if (senders.length === 0) return [...items];
  const sinceMs = Math.max(0, Math.min(...items.map(item => timeOfId(eventOf(item).id))));
  const erased = await listErased(sql, senders, sinceMs);
  const lastAt = new Map(erased.map(row => [`${row.project_id} ${row.actor}`, row.requested_at]));
  return items.filter(item => {
    const { id, projectId, actor } = eventOf(item);
    const requestedMs = lastAt.get(`${projectId} ${actor}`);
    return requestedMs === undefined || timeOfId(id) > requestedMs;
  });
}
