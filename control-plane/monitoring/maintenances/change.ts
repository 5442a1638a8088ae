import type { Sql } from '../../platform/db/sql.ts';
import type { ValidFields } from '../../platform/http/bodies/parse-body.ts';
import { hasChanges } from '../../platform/http/endpoint/has-changes.ts';
import type { FieldError } from '../../platform/http/problem.ts';
import { requireWithinQuota } from '../../platform/project-limits/quota-store.ts';
import { refreshMembers } from '../memberships/member-store.ts';
import { monitoringCounts } from '../quotas/store.ts';
import { lockExisting, lockMembers } from './lock.ts';
import type { MaintenancePatch, MaintenanceSettings } from './maintenance.ts';
import { plan } from './occurrences/plan.ts';
import type { AnnouncingPages } from './pages.ts';
import { recordChange } from './record-change.ts';
import { lockMaintenance, type StoredMaintenance, writeSettings } from './store.ts';
import { maintenanceFaults } from './validate.ts';

type Target = { projectId: string; id: string };

/** Errors of what a patch would leave, of the parts that it touches; none if there is no such maintenance. */
export async function patchFaults(
  sql: Sql,
  pages: Pick<AnnouncingPages, 'unknownPages'>,
  { projectId, id }: Target,
  patch: ValidFields<MaintenancePatch>,
  nowMs: number,
): Promise<FieldError[]> {
  await lockMembers(sql, projectId);
  const stored = await lockMaintenance(sql, projectId, id);
  if (stored === null) return [];
  const settings = { ...settingsOf(stored), ...patch } as ValidFields<MaintenanceSettings>;
  const { scope, announced, starts_at, ends_at, schedule } = settings;
  const isTimed = 'starts_at' in patch || 'ends_at' in patch || 'schedule' in patch;
  const isScoped = 'scope' in patch || 'announced' in patch;
  const touched = {
    ...(isScoped && { scope, announced }),
    ...(isTimed && { starts_at, ends_at, schedule }),
  };
  return maintenanceFaults(sql, pages, projectId, touched, nowMs);
}

/** Changes the fields that are given another value. False if nothing changed. Throws `not_found`, `changed_since`. */
export async function changeMaintenance(
  sql: Sql,
  target: Target & { expectedUpdate: number | null },
  patch: MaintenancePatch,
  nowMs: number,
): Promise<boolean> {
  const { projectId, id } = target;
  await lockMembers(sql, projectId);
  const stored = await lockExisting(sql, projectId, id, target.expectedUpdate);
  if (!hasChanges(patch, settingsOf(stored))) return false;
  const { scope, ...rest } = patch;
  const changed: StoredMaintenance = { ...stored, ...scope, ...given(rest) };
  await writeSettings(sql, changed, nowMs);
  await plan(sql, changed, nowMs);
  await requireWithinQuota(sql, projectId, monitoringCounts.maintenances);
  // A window that moves takes those who match now along; else who leaves or joins does so now.
  const afresh = changed.schedule === null && changed.starts_at !== stored.starts_at;
  const { selector } = changed;
  const fromMs = afresh ? 0 : nowMs;
  await refreshMembers(sql, { projectId, maintenanceId: id, selector }, { fromMs, afresh }, nowMs);
  await recordChange(sql, changed, 'maintenance.changed', nowMs);
  return true;
}

function settingsOf(stored: StoredMaintenance): MaintenanceSettings {
  const { monitor_ids, selector, component_ids, status_page_ids, ...settings } = stored;
  const scope = { monitor_ids: [...monitor_ids], selector, component_ids: [...component_ids] };
  return { ...settings, scope: { ...scope, status_page_ids: [...status_page_ids] } };
}

function given(patch: Omit<MaintenancePatch, 'scope'>): Partial<StoredMaintenance> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}
