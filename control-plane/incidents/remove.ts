import type { Sql } from '../db/sql.ts';
import type { Caller } from '../http/endpoint.ts';
import { lockExisting } from './lock.ts';
import { releaseAlert } from './promote-store.ts';
import { recordAudit } from './record-audit.ts';
import { recordChange } from './record-change.ts';
import { markIncidentDeleted } from './store.ts';

/** Removes an incident from its page, without notifications; its alert can be promoted again. Throws `not_found`. */
export async function removeIncident(sql: Sql, caller: Caller, id: string, nowMs: number): Promise<void> {
  const incident = await lockExisting(sql, caller.projectId, id);
  await markIncidentDeleted(sql, id, nowMs);
  await releaseAlert(sql, id);
  await recordChange(sql, incident, 'incident.deleted', nowMs);
  await recordAudit(sql, caller, { action: 'incident.deleted', subject: id }, nowMs);
}
