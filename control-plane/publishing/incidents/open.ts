import type { Sql } from '../../platform/db/sql.ts';
import { appendFact } from '../../platform/facts/store.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import { publishingCounts } from '../quotas/store.ts';
import type { UpdatePost } from './incident.ts';
import { asUsual, type Posting, postUpdate } from './post-update.ts';
import { recordChange } from './record-change.ts';
import { insertIncident, type NewIncident } from './store.ts';

/**
 * Opens an incident, with a first update if one is given. Returns its id; null when the project has no such page.
 * Throws `limit_reached`.
 */
export async function openIncident(
  sql: Sql,
  incident: NewIncident,
  initialUpdate: UpdatePost | null,
  nowMs: number,
  posting: Posting = asUsual(nowMs),
): Promise<string | null> {
  if (initialUpdate?.state !== 'resolved') await requireQuota(sql, incident.projectId, publishingCounts.open_incidents);
  await requireQuota(sql, incident.projectId, publishingCounts.incidents);
  const id = await insertIncident(sql, incident, nowMs);
  if (id === null) return null;
  const { projectId, statusPageId, alertId, startedAt } = incident;
  const opened = {
    id,
    project_id: projectId,
    status_page_id: statusPageId,
    alert_id: alertId,
    title: incident.title,
    state: 'investigating' as const,
    started_at: startedAt,
    resolved_at: null,
    updated_at: nowMs,
  };
  const payload = { status_page_id: statusPageId };
  if (posting.notify) await appendFact(sql, { kind: 'incident.opened', projectId, subject: id, payload }, nowMs);
  else await recordChange(sql, opened, 'incident.changed', nowMs);
  if (initialUpdate !== null) await postUpdate(sql, opened, initialUpdate, nowMs, posting);
  return id;
}
