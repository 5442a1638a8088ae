import type { Sql } from '../../platform/db/sql.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import { refreshMembers } from '../memberships/member-store.ts';
import { monitoringCounts } from '../quotas/store.ts';
import { defaultNotify, type MaintenancePost } from './maintenance.ts';
import { plan } from './occurrences/plan.ts';
import type { AnnouncingPages } from './pages.ts';
import { recordChange } from './record-change.ts';
import { insertMaintenance } from './store.ts';

/** Creates a maintenance; returns its id. The post is valid. Throws `limit_reached`. */
export async function createMaintenance(
  sql: Sql,
  pages: AnnouncingPages,
  projectId: string,
  post: MaintenancePost,
  nowMs: number,
): Promise<string> {
  await requireQuota(sql, projectId, monitoringCounts.maintenances);
  const notify = post.notify ?? defaultNotify(post.schedule !== null);
  if (post.announced && notify.length > 0)
    await pages.requireDeliveries(sql, projectId, await pages.listScopePages(sql, post.scope), nowMs);
  const maintenance = await insertMaintenance(sql, projectId, { ...post, notify }, nowMs);
  await plan(sql, maintenance, nowMs);
  // Those who match now were in a window that began before; a rule's occurrences begin now.
  const fromMs = post.schedule === null ? 0 : nowMs;
  const { id, selector } = maintenance;
  await refreshMembers(sql, { projectId, maintenanceId: id, selector }, { fromMs }, nowMs);
  await recordChange(sql, maintenance, 'maintenance.scheduled', nowMs);
  return id;
}
