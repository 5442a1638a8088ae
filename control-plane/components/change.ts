import type { Sql } from '../db/sql.ts';
import { hasChanges } from '../http/has-changes.ts';
import { Problem } from '../http/problem.ts';
import { replaceMonitorsOf } from './binding-store.ts';
import type { ComponentPatch } from './component.ts';
import { recordChange } from './record-change.ts';
import { findComponent, lockComponent, updateComponent } from './store.ts';

/** Changes the fields that are given another value; `monitor_ids` is replaced as a whole. Throws `not_found`. */
export async function changeComponent(
  sql: Sql,
  { projectId, id }: { projectId: string; id: string },
  patch: ComponentPatch,
  nowMs: number,
): Promise<void> {
  await lockComponent(sql, projectId, id);
  const present = await findComponent(sql, projectId, id);
  if (present === null) throw new Problem('not_found');
  if (!hasChanges(patch, { ...present, group: present.group_name })) return;
  await updateComponent(sql, projectId, id, patch, nowMs);
  if (patch.monitor_ids !== undefined) await replaceMonitorsOf(sql, projectId, id, patch.monitor_ids);
  await recordChange(sql, { projectId, id, statusPageId: present.status_page_id }, nowMs);
}
