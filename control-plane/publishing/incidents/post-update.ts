import type { Sql } from '../../platform/db/sql.ts';
import { appendFact } from '../../platform/facts/store.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import { publishingCounts } from '../quotas/store.ts';
import { requireDeliveries } from '../subscribers/delivery-budget-store.ts';
import type { UpdatePost } from './incident.ts';
import { assertCapacity } from './limits.ts';
import { type LockedIncident, setResolved } from './store.ts';
import { insertUpdate, measureUpdates } from './update-store.ts';

/** The instant that an update is dated, and whether anybody hears of it. */
export type Posting = { postedAt: number; notify: boolean };

export const asUsual = (nowMs: number): Posting => ({ postedAt: nowMs, notify: true });

/**
 * Posts an update to a locked incident: the incident takes its state, and subscribers are notified after the commit.
 * Returns the update's id. Throws `validation_failed` when the incident is full, `limit_reached` when it would be one
 * open incident too many, or too many messages to subscribers within a day.
 */
export async function postUpdate(
  sql: Sql,
  incident: LockedIncident,
  post: UpdatePost,
  nowMs: number,
  posting: Posting = asUsual(nowMs),
): Promise<string> {
  if (incident.resolved_at !== null && post.state !== 'resolved')
    await requireQuota(sql, incident.project_id, publishingCounts.open_incidents);
  assertCapacity(await measureUpdates(sql, incident.id), post.body);
  if (posting.notify) await requireDeliveries(sql, incident.project_id, [incident.status_page_id], nowMs);
  const { id, postedAt } = await insertUpdate(sql, incident, post, nowMs, posting);
  const resolvedAt = post.state === 'resolved' ? (incident.resolved_at ?? postedAt) : null;
  await setResolved(sql, incident.id, resolvedAt, nowMs);
  if (!posting.notify) return id;
  const about = { projectId: incident.project_id };
  const statusPage = { status_page_id: incident.status_page_id };
  const payload = { ...statusPage, incident_id: incident.id, state: post.state };
  await appendFact(sql, { ...about, kind: 'incident.updated', subject: id, payload }, nowMs);
  if (resolvedAt !== null && incident.resolved_at === null)
    await appendFact(sql, { ...about, kind: 'incident.resolved', subject: incident.id, payload: statusPage }, nowMs);
  return id;
}
