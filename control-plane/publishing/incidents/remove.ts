import type { Change, Effect } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { incidentEntry } from './audit.ts';
import { lockExisting } from './lock.ts';
import { releaseAlert } from './promote-store.ts';
import { recordChange } from './record-change.ts';
import { markIncidentDeleted } from './store.ts';

/**
 * Removes an incident from its page, without notifications; its alert can be promoted again. Returns the entry for the
 * audit. Throws `not_found`.
 */
export async function removeIncident(sql: Sql, projectId: string, id: string, nowMs: number): Promise<Change> {
  const incident = await lockExisting(sql, projectId, id);
  const also = incident.alert_id === null ? [] : [alertEffect(incident.alert_id, id)];
  const entry = await incidentEntry(sql, { projectId, id }, 'incident.deleted', also);
  await markIncidentDeleted(sql, id, nowMs);
  await releaseAlert(sql, id);
  await recordChange(sql, incident, 'incident.deleted', nowMs);
  return entry;
}

function alertEffect(alertId: string, incidentId: string): Effect {
  const fields = { before: { incident_id: incidentId }, after: { incident_id: null } };
  return { resource: 'alert', subject: alertId, name: null, ...fields };
}
