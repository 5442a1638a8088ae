import type { Sql } from '../../platform/db/sql.ts';
import { appendFact } from '../../platform/facts/store.ts';
import type { LockedIncident } from './store.ts';

/** Records a change without an update, so that the status page is published again; no notifications follow from it. */
export function recordChange(
  sql: Sql,
  incident: LockedIncident,
  kind: 'incident.changed' | 'incident.deleted',
  nowMs: number,
): Promise<void> {
  const payload = { status_page_id: incident.status_page_id };
  return appendFact(sql, { kind, projectId: incident.project_id, subject: incident.id, payload }, nowMs);
}
