import type { Sql } from '../db/sql.ts';
import type { Caller } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { lockExisting } from './lock.ts';
import { recordAudit } from './record-audit.ts';
import { recordChange } from './record-change.ts';
import { findBody, replaceBody } from './update-store.ts';

/** Replaces the text of an update, without notifications; the old text is stored. Throws `not_found`. */
export async function editUpdate(
  sql: Sql,
  caller: Caller,
  { id, updateId }: { id: string; updateId: string },
  body: string,
  nowMs: number,
): Promise<void> {
  const incident = await lockExisting(sql, caller.projectId, id);
  const present = await findBody(sql, id, updateId);
  if (present === null) throw new Problem('not_found');
  if (present === body) return;
  await replaceBody(sql, id, updateId, body, nowMs);
  await recordChange(sql, incident, 'incident.changed', nowMs);
  const given = { update_id: updateId };
  await recordAudit(sql, caller, { action: 'incident.update_edited', subject: id, given }, nowMs);
}
