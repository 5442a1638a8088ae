import type { Sql } from '../db/sql.ts';
import { appendFact } from '../facts/store.ts';
import type { UpdatePost } from './incident.ts';
import { refuseTooMuch } from './limits.ts';
import { type LockedIncident, setResolved } from './store.ts';
import { insertUpdate, measureUpdates } from './update-store.ts';

/** Posts an update: the incident takes its state, and who follows it is told once this commits. The incident is locked. */
export async function postUpdate(sql: Sql, incident: LockedIncident, post: UpdatePost, nowMs: number): Promise<string> {
  refuseTooMuch(await measureUpdates(sql, incident.id), post.body);
  const { id, postedAt } = await insertUpdate(sql, incident, post, nowMs);
  const resolvedAt = post.state === 'resolved' ? (incident.resolved_at ?? postedAt) : null;
  await setResolved(sql, incident.id, resolvedAt, nowMs);
  const about = { projectId: incident.project_id };
  const statusPage = { status_page_id: incident.status_page_id };
  const payload = { ...statusPage, incident_id: incident.id, state: post.state };
  await appendFact(sql, { ...about, kind: 'incident.updated', subject: id, payload }, nowMs);
  if (resolvedAt !== null && incident.resolved_at === null)
    await appendFact(sql, { ...about, kind: 'incident.resolved', subject: incident.id, payload: statusPage }, nowMs);
  return id;
}
