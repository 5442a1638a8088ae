import { dayMs } from '#shared/duration.ts';
import { newId } from '#shared/ids.ts';
import { lockSelectorBindings } from '../components/selector-binding-store.ts';
import type { Sql } from '../db/sql.ts';
import { requireQuota } from '../shares/quota-store.ts';
import { applyVersion, bindComponents, freshStart, type MonitorServices } from './configure.ts';
import { lockDeletedByName } from './deleted-store.ts';
import { type MonitorSettings, revivalDays } from './monitor.ts';
import { lockStates } from './state-store.ts';
import { type StoredMonitor, writeMonitor } from './store.ts';
import { insertRules } from './version-store.ts';

/**
 * Creates a monitor and returns its id. A monitor of the same name that was deleted within 30 days is revived instead:
 * its id, age and history, with the configuration as posted. The settings are valid.
 * Throws `limit_reached`.
 */
export async function createMonitor(
  sql: Sql,
  services: MonitorServices,
  projectId: string,
  settings: MonitorSettings,
  nowMs: number,
): Promise<string> {
  await requireQuota(sql, projectId, 'monitors');
  await requireQuota(sql, projectId, 'monitor_regions', settings.regions.length);
  await lockSelectorBindings(sql, projectId, 'shared');
  const deleted = await lockDeletedByName(sql, projectId, settings.name, nowMs - revivalDays * dayMs);
  const monitor: StoredMonitor = {
    id: deleted?.id ?? newId('mon', nowMs),
    projectId,
    settings,
    configVersion: (deleted?.config_version ?? 0) + 1,
    rulesVersion: (deleted?.rules_version ?? 0) + 1,
    createdAt: deleted?.created_at ?? nowMs,
    updatedAt: nowMs,
  };
  const [state = null] = deleted === null ? [] : await lockStates(sql, [deleted.id]);
  await writeMonitor(sql, services.keyring, monitor);
  await insertRules(sql, monitor, nowMs);
  await bindComponents(sql, monitor, nowMs);
  await applyVersion(sql, services, { monitor, deleted: false, change: freshStart, state }, nowMs);
  return monitor.id;
}
