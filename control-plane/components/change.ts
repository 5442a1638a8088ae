import type { Sql } from '../db/sql.ts';
import { hasChanges } from '../http/has-changes.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { Problem } from '../http/problem.ts';
import { refreshMembersThrough } from '../memberships/member-store.ts';
import { replaceMonitorsOf } from './binding-store.ts';
import type { ComponentPatch } from './component.ts';
import { recordChange } from './record-change.ts';
import { bindMatchingMonitors, lockSelectorBindings } from './selector-binding-store.ts';
import { findComponent, lockComponent, updateComponent } from './store.ts';

/**
 * Changes the fields that are given another value; `monitor_ids` is replaced as a whole. False if nothing changed.
 * Throws `not_found`.
 */
export async function changeComponent(
  sql: Sql,
  { projectId, id, expectedUpdate }: { projectId: string; id: string; expectedUpdate: number | null },
  patch: ComponentPatch,
  nowMs: number,
): Promise<boolean> {
  const { monitor_selector: selector } = patch;
  const rebinds = selector !== undefined || patch.monitor_ids !== undefined;
  if (rebinds) await lockSelectorBindings(sql, projectId, 'alone');
  await lockComponent(sql, projectId, id);
  const present = await findComponent(sql, projectId, id);
  if (present === null) throw new Problem('not_found');
  requireUnchanged(expectedUpdate, present.updated_at);
  if (!hasChanges(patch, { ...present, group: present.group_name })) return false;
  await updateComponent(sql, projectId, id, patch, nowMs);
  if (patch.monitor_ids !== undefined) await replaceMonitorsOf(sql, projectId, id, patch.monitor_ids);
  if (selector !== undefined) await bindMatchingMonitors(sql, projectId, id, selector);
  const statusPageId = present.status_page_id;
  if (rebinds) await refreshMembersThrough(sql, projectId, { id, statusPageId }, nowMs);
  await recordChange(sql, { projectId, id, statusPageId }, nowMs);
  return true;
}
