import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { fieldProblem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import { refreshMembersThrough } from '../memberships/member-store.ts';
import { monitoringCounts } from '../quotas/store.ts';
import { auditComponent, monitorEffects } from './audit.ts';
import { replaceMonitorsOf } from './binding-store.ts';
import type { ComponentPost } from './component.ts';
import type { ComponentPages } from './pages.ts';
import { recordChange } from './record-change.ts';
import { bindMatchingMonitors, lockSelectorBindings } from './selector-binding-store.ts';
import { countComponents, findComponent, insertComponent } from './store.ts';

/** The status page is rendered whenever one of them changes, each with all its days. */
const componentsMax = 300;

/**
 * Creates a component; returns the entry for the audit. Throws `limit_reached`, or `validation_failed` for a page that
 * is full or does not exist.
 */
export async function createComponent(
  sql: Sql,
  pages: Pick<ComponentPages, 'unknownPages'>,
  projectId: string,
  post: ComponentPost,
  nowMs: number,
): Promise<Change> {
  const { status_page_id: statusPageId } = post;
  if ((await countComponents(sql, statusPageId)) >= componentsMax)
    throw fieldProblem('/status_page_id', 'out_of_range', `has the maximum of ${componentsMax} components`);
  await requireQuota(sql, projectId, monitoringCounts.components);
  await lockSelectorBindings(sql, projectId, 'alone');
  const unknown = await pages.unknownPages(sql, projectId, [statusPageId]);
  if (unknown.length > 0) throw fieldProblem('/status_page_id', 'unknown_reference', 'is not a status page');
  const id = await insertComponent(sql, projectId, post, nowMs);
  const bound = await replaceMonitorsOf(sql, projectId, id, post.monitor_ids);
  if (post.monitor_selector !== null) await bindMatchingMonitors(sql, projectId, id, post.monitor_selector);
  await refreshMembersThrough(sql, projectId, { id, statusPageId }, nowMs);
  await recordChange(sql, { projectId, id, statusPageId }, nowMs);
  const row = await findComponent(sql, projectId, id);
  const after = row === null ? {} : auditComponent(row);
  const also = monitorEffects(id, bound, () => true);
  return { action: 'component.created', subject: id, name: post.name, before: null, after, also };
}
