import type { Change, Effect } from '../audit/entry.ts';
import type { Sql } from '../db/sql.ts';
import { hasChanges } from '../http/has-changes.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { Problem } from '../http/problem.ts';
import { auditComponent, monitorEffects } from './audit.ts';
import { refreshMembersThrough } from '../memberships/member-store.ts';
import { replaceMonitorsOf } from './binding-store.ts';
import type { ComponentPatch } from './component.ts';
import { recordChange } from './record-change.ts';
import { bindMatchingMonitors, lockSelectorBindings } from './selector-binding-store.ts';
import { findComponent, lockComponent, updateComponent } from './store.ts';

/**
 * Changes the fields that are given another value; `monitor_ids` is replaced as a whole. Returns the entry for the
 * audit; null if nothing changed. Throws `not_found`.
 */
export async function changeComponent(
  sql: Sql,
  { projectId, id, expectedUpdate }: { projectId: string; id: string; expectedUpdate: number | null },
  patch: ComponentPatch,
  nowMs: number,
): Promise<Change | null> {
  const { monitor_selector: selector } = patch;
  const rebinds = selector !== undefined || patch.monitor_ids !== undefined;
  if (rebinds) await lockSelectorBindings(sql, projectId, 'alone');
  await lockComponent(sql, projectId, id);
  const present = await findComponent(sql, projectId, id);
  if (present === null) throw new Problem('not_found');
  requireUnchanged(expectedUpdate, present.updated_at);
  if (!hasChanges(patch, { ...present, group: present.group_name })) return null;
  await updateComponent(sql, projectId, id, patch, nowMs);
  const also: Effect[] = [];
  if (patch.monitor_ids !== undefined) {
    const wanted = patch.monitor_ids;
    const changed = await replaceMonitorsOf(sql, projectId, id, wanted);
    also.push(...monitorEffects(id, changed, monitorId => wanted.includes(monitorId)));
  }
  if (selector !== undefined) await bindMatchingMonitors(sql, projectId, id, selector);
  const statusPageId = present.status_page_id;
  if (rebinds) await refreshMembersThrough(sql, projectId, { id, statusPageId }, nowMs);
  await recordChange(sql, { projectId, id, statusPageId }, nowMs);
  const after = await findComponent(sql, projectId, id);
  const name = after?.name ?? present.name;
  const fields = { before: auditComponent(present), after: auditComponent(after ?? present) };
  return { action: 'component.updated', subject: id, name, ...fields, also };
}
