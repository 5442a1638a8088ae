import { dayMs } from '#shared/duration.ts';
import { newId } from '#shared/ids.ts';
import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import { lockSelectorBindings } from '../components/selector-binding-store.ts';
import { monitoringCounts } from '../quotas/store.ts';
import { defaultAlertRules } from './alert-rules.ts';
import { monitorEntry } from './audit.ts';
import { applyVersion, bindComponents, freshStart, type MonitorServices } from './configure.ts';
import { lockDeletedByName } from './deleted-store.ts';
import { configureHeartbeat } from './heartbeats/configure.ts';
import { type MonitorSettings, revivalDays } from './monitor.ts';
import type { StoredMonitor } from './row.ts';
import { writeUses } from './secrets/project-secrets-store.ts';
import { secretFieldsOf } from './secrets/uses.ts';
import { certificatesOf, expiryKindOf } from './state/state.ts';
import { lockStates, writeCertificates } from './state/state-store.ts';
import { writeMonitor } from './store.ts';
import { insertRules } from './versions/store.ts';
import { countedRegions, votersOf } from './voters.ts';

/**
 * Creates a monitor and returns the entry for the audit. A monitor of the same name that was deleted within 30 days is
 * revived instead: its id, age and history, with the configuration as posted. The settings are valid. Throws
 * `limit_reached`.
 */
export async function createMonitor(
  sql: Sql,
  services: MonitorServices,
  projectId: string,
  settings: MonitorSettings,
  nowMs: number,
): Promise<Change> {
  await requireQuota(sql, projectId, monitoringCounts.monitors);
  await requireQuota(sql, projectId, monitoringCounts.monitor_regions, countedRegions(settings));
  await requireQuota(sql, projectId, monitoringCounts.event_monitors, settings.kind === 'events' ? 1 : 0);
  await lockSelectorBindings(sql, projectId, 'shared');
  const deleted = await lockDeletedByName(sql, projectId, settings.name, nowMs - revivalDays * dayMs);
  const monitor: StoredMonitor = {
    id: deleted?.id ?? newId('mon', nowMs),
    projectId,
    settings,
    secretFields: secretFieldsOf(settings, Object.keys(settings)),
    configVersion: (deleted?.config_version ?? 0) + 1,
    rulesVersion: (deleted?.rules_version ?? 0) + 1,
    createdAt: deleted?.created_at ?? nowMs,
    updatedAt: nowMs,
  };
  const [state = null] = deleted === null ? [] : await lockStates(sql, [deleted.id]);
  await writeMonitor(sql, services.keyring, monitor);
  if (monitor.secretFields.length > 0 || deleted !== null) await writeUses(sql, monitor);
  await insertRules(sql, monitor, nowMs);
  await configureHeartbeat(sql, services.keyring, monitor, true, nowMs);
  const also = await bindComponents(sql, monitor, nowMs);
  await applyVersion(sql, services, { monitor, deleted: false, change: freshStart, state }, nowMs);
  const kind = expiryKindOf({ regions: votersOf(settings) });
  const certificates = certificatesOf((settings.alert_rules ?? defaultAlertRules)[kind], null, kind);
  if (certificates !== null || deleted !== null)
    await writeCertificates(sql, [{ monitorId: monitor.id, certificates, dueAt: null }]);
  const action = deleted === null ? 'monitor.created' : 'monitor.restored';
  return monitorEntry(action, { before: null, after: monitor }, also);
}
