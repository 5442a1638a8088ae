import type { Sql } from '../db/sql.ts';
import type { Caller } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { lockExisting } from './lock.ts';
import { postUpdate } from './post-update.ts';
import { recordAudit } from './record-audit.ts';

/** Resolves an incident with a last update. Throws `not_found`, and `already_resolved` the second time. */
export async function resolveIncident(
  sql: Sql,
  caller: Caller,
  id: string,
  body: string,
  nowMs: number,
): Promise<void> {
  const incident = await lockExisting(sql, caller.projectId, id);
  if (incident.resolved_at !== null) throw new Problem('already_resolved');
  const updateId = await postUpdate(sql, incident, { state: 'resolved', body }, nowMs);
  const given = { update_id: updateId };
  await recordAudit(sql, caller, { action: 'incident.resolved', subject: id, given }, nowMs);
}
