import type { Sql } from '../../../platform/db/sql.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { lockExisting } from '../lock.ts';
import { recordChange } from '../record-change.ts';
import { touchMaintenance } from '../store.ts';
import { findBody, replaceBody } from './store.ts';

/** Replaces the text of an update; nobody is notified. False if it is that text already. Throws `not_found`. */
export async function editUpdate(
  sql: Sql,
  { projectId, id, updateId }: { projectId: string; id: string; updateId: string },
  body: string,
  nowMs: number,
): Promise<boolean> {
  const maintenance = await lockExisting(sql, projectId, id);
  const present = await findBody(sql, id, updateId);
  if (present === null) throw new Problem('not_found');
  if (present === body) return false;
  await replaceBody(sql, updateId, body, nowMs);
  await touchMaintenance(sql, id, nowMs);
  await recordChange(sql, maintenance, 'maintenance.changed', nowMs);
  return true;
}
