import type { Sql } from '../db/sql.ts';
import type { Caller } from '../http/endpoint.ts';
import { hasChanges } from '../http/has-changes.ts';
import type { IncidentPatch } from './incident.ts';
import { lockExisting } from './lock.ts';
import { recordAudit } from './record-audit.ts';
import { recordChange } from './record-change.ts';
import { readFields, updateIncident } from './store.ts';

/** Changes the fields that are given another value, without notifications. Throws `not_found`. */
export async function changeIncident(
  sql: Sql,
  caller: Caller,
  id: string,
  patch: IncidentPatch,
  nowMs: number,
): Promise<void> {
  const incident = await lockExisting(sql, caller.projectId, id);
  if (!hasChanges(patch, (await readFields(sql, id)) ?? {})) return;
  await updateIncident(sql, id, patch, nowMs);
  await recordChange(sql, incident, 'incident.changed', nowMs);
  await recordAudit(sql, caller, { action: 'incident.changed', subject: id, given: patch }, nowMs);
}
