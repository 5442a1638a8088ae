import { toTimestamp } from '#shared/clock.ts';
import type { Change, Fields } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { hasChanges } from '../../platform/http/endpoint/has-changes.ts';
import type { IncidentPatch } from './incident.ts';
import { lockExisting } from './lock.ts';
import { recordChange } from './record-change.ts';
import { readFields, updateIncident } from './store.ts';

/**
 * Changes the fields that are given another value, without notifications. Returns the entry for the audit; null if
 * nothing changed. Throws `not_found`.
 */
export async function changeIncident(
  sql: Sql,
  projectId: string,
  id: string,
  patch: IncidentPatch,
  nowMs: number,
): Promise<Change | null> {
  const incident = await lockExisting(sql, projectId, id);
  const before = await readFields(sql, id);
  if (before === null || !hasChanges(patch, before)) return null;
  await updateIncident(sql, id, patch, nowMs);
  await recordChange(sql, incident, 'incident.changed', nowMs);
  const after = (await readFields(sql, id)) ?? before;
  const fields = { before: readable(before), after: readable(after) };
  return { action: 'incident.changed', subject: id, name: after.title ?? null, ...fields };
}

function readable(fields: IncidentPatch): Fields {
  const { started_at: startedAt } = fields;
  return { ...fields, started_at: startedAt === undefined ? null : toTimestamp(startedAt) };
}
