import type { Sql } from '../db/sql.ts';
import type { Caller } from '../http/endpoint.ts';
import type { UpdatePost } from './incident.ts';
import { lockExisting } from './lock.ts';
import { postUpdate } from './post-update.ts';
import { recordAudit } from './record-audit.ts';

/** Posts an update, also to a resolved incident. Throws `not_found`, or `validation_failed` if the incident is full. */
export async function addUpdate(
  sql: Sql,
  caller: Caller,
  id: string,
  update: UpdatePost,
  nowMs: number,
): Promise<void> {
  const incident = await lockExisting(sql, caller.projectId, id);
  const updateId = await postUpdate(sql, incident, update, nowMs);
  const given = { update_id: updateId, state: update.state };
  await recordAudit(sql, caller, { action: 'incident.updated', subject: id, given }, nowMs);
}
