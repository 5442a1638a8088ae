import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { updateEntry } from './audit.ts';
import { lockExisting } from './lock.ts';
import { postUpdate } from './post-update.ts';

/**
 * Resolves an incident with a last update; returns the entry for the audit. Throws `not_found`, and `already_resolved`
 * the second time.
 */
export async function resolveIncident(
  sql: Sql,
  projectId: string,
  id: string,
  body: string,
  nowMs: number,
): Promise<Change> {
  const incident = await lockExisting(sql, projectId, id);
  if (incident.resolved_at !== null) throw new Problem('already_resolved');
  const updateId = await postUpdate(sql, incident, { state: 'resolved', body }, nowMs);
  return updateEntry(sql, 'incident.resolved', incident, updateId);
}
