import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { assertEditable } from './limits.ts';
import { lockExisting } from './lock.ts';
import { recordChange } from './record-change.ts';
import { countReplaced, findBody, replaceBody } from './update-store.ts';

/**
 * Replaces the text of an update, without notifications; the old text is stored. Returns the entry for the audit; null
 * if it is the same text. Throws `not_found` and `limit_reached`.
 */
export async function editUpdate(
  sql: Sql,
  projectId: string,
  { id, updateId }: { id: string; updateId: string },
  body: string,
  nowMs: number,
): Promise<Change | null> {
  const incident = await lockExisting(sql, projectId, id);
  const present = await findBody(sql, id, updateId);
  if (present === null) throw new Problem('not_found');
  if (present === body) return null;
  assertEditable(await countReplaced(sql, id), present);
  await replaceBody(sql, id, updateId, body, nowMs);
  await recordChange(sql, incident, 'incident.changed', nowMs);
  const show = (text: string) => ({ update: { id: updateId, body: text } });
  const fields = { before: show(present), after: show(body) };
  return { action: 'incident.update_edited', subject: id, name: incident.title, ...fields };
}
