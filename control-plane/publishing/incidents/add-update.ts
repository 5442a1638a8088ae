import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { updateEntry } from './audit.ts';
import type { UpdatePost } from './incident.ts';
import { lockExisting } from './lock.ts';
import { postUpdate } from './post-update.ts';

/**
 * Posts an update, also to a resolved incident; returns the entry for the audit. Throws `not_found`, or
 * `validation_failed` if the incident is full.
 */
export async function addUpdate(
  sql: Sql,
  projectId: string,
  id: string,
  update: UpdatePost,
  nowMs: number,
): Promise<Change> {
  const incident = await lockExisting(sql, projectId, id);
  const updateId = await postUpdate(sql, incident, update, nowMs);
  return updateEntry(sql, 'incident.updated', incident, updateId);
}
