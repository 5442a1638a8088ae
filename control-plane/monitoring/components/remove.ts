import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { Problem } from '../../platform/http/problem.ts';
import { refreshMembersThrough } from '../memberships/member-store.ts';
import { auditComponent, monitorEffects } from './audit.ts';
import { replaceMonitorsOf } from './binding-store.ts';
import { lockPlaces } from './order-store.ts';
import type { ComponentPages } from './pages.ts';
import { recordChange } from './record-change.ts';
import { lockSelectorBindings } from './selector-binding-store.ts';
import { findComponent, lockComponent, markComponentDeleted } from './store.ts';

type OpenImpacts = Pick<ComponentPages, 'listOpenImpacts'>;

/**
 * Deletes a component; returns the entry for the audit. Throws `not_found`, `changed_since`, and `component_in_use`
 * while an open incident affects it.
 */
export async function removeComponent(
  sql: Sql,
  pages: OpenImpacts,
  { projectId, id, expectedUpdate = null }: { projectId: string; id: string; expectedUpdate?: number | null },
  nowMs: number,
): Promise<Change> {
  await lockSelectorBindings(sql, projectId, 'alone');
  const locked = await lockComponent(sql, projectId, id);
  if (locked === null) throw new Problem('not_found');
  const impacts = await pages.listOpenImpacts(sql, [{ id, status_page_id: locked.status_page_id }]);
  if (impacts.has(id)) throw new Problem('component_in_use');
  const row = await findComponent(sql, projectId, id);
  requireUnchanged(expectedUpdate, row?.updated_at ?? 0);
  const released = await replaceMonitorsOf(sql, projectId, id, []);
  await markComponentDeleted(sql, id, nowMs);
  await refreshMembersThrough(sql, projectId, { id, statusPageId: locked.status_page_id }, nowMs);
  await recordChange(sql, { projectId, id, statusPageId: locked.status_page_id }, nowMs);
  const before = row === null ? {} : auditComponent(row);
  const also = monitorEffects(id, released, () => false);
  return { action: 'component.deleted', subject: id, name: row?.name ?? null, before, after: null, also };
}

/** Deletes all components of a page like `removeComponent`; returns an entry of the audit for each. */
export async function removeComponentsOf(
  sql: Sql,
  pages: OpenImpacts,
  projectId: string,
  statusPageId: string,
  nowMs: number,
): Promise<Change[]> {
  await lockSelectorBindings(sql, projectId, 'alone');
  const changes: Change[] = [];
  for (const { id } of await lockPlaces(sql, projectId, statusPageId))
    changes.push(await removeComponent(sql, pages, { projectId, id }, nowMs));
  return changes;
}
