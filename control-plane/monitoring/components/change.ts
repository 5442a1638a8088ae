import type { Change, Effect } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { hasChanges } from '../../platform/http/endpoint/has-changes.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { Problem } from '../../platform/http/problem.ts';
import { refreshMembersThrough } from '../memberships/member-store.ts';
import { auditComponent, monitorEffects } from './audit.ts';
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
