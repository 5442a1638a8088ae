import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { lockQuota, requireQuota } from '../../platform/project-limits/quota-store.ts';
import { lockSelectorBindings } from '../components/selector-binding-store.ts';
import { monitoringCounts } from '../quotas/store.ts';
import { type AlertRules, defaultAlertRules } from './alert-rules.ts';
import { monitorEntry } from './audit.ts';
import { applyVersion, bindComponents, type MonitorServices } from './configure.ts';
import { configureHeartbeat } from './heartbeats/configure.ts';
import { defaultAlertPolicy, type MonitorPatch, type MonitorSettings, withKind } from './monitor.ts';
import { toMonitor } from './row.ts';
import { reveal } from './secrets/hidden.ts';
import { writeUses } from './secrets/project-secrets-store.ts';
import { secretFieldsOf } from './secrets/uses.ts';
import { compareSettings } from './settings.ts';
import { lockStates } from './state/state-store.ts';
import { lockMonitor, writeMonitor } from './store.ts';
import { requireFewRules } from './versions/limit.ts';
import { insertRules } from './versions/store.ts';
import { countedRegions } from './voters.ts';

/**
 * Changes the given fields; pausing and resuming change `enabled`. Returns the entry for the audit, null if no value
 * differs: then nothing is written. The patch is valid. Throws `not_found` and `limit_reached`.
 */
export async function changeMonitor(
  sql: Sql,
  services: MonitorServices,
  target: { projectId: string; id: string },
  patch: MonitorPatch,
  nowMs: number,
): Promise<Change | null> {
  if (patch.regions !== undefined) await lockQuota(sql, target.projectId, 'monitor_regions');
  if (changesMatching(patch)) await lockSelectorBindings(sql, target.projectId, 'shared');
  const [state] = await lockStates(sql, [target.id]);
  const row = await lockMonitor(sql, target.projectId, target.id);
  if (row === null || state === undefined) throw new Problem('not_found');
  const before = toMonitor(row, services.keyring);
  const settings = patchSettings(before.settings, patch);
  const secretFields = secretFieldsOf(settings, [...before.secretFields, ...Object.keys(patch)]);
  const namesAnew = !isDeepStrictEqual(secretFields, before.secretFields);
  if (!namesAnew && isDeepStrictEqual(settings, before.settings)) return null;
  const added = countedRegions(settings) - countedRegions(before.settings);
  await requireQuota(sql, target.projectId, monitoringCounts.monitor_regions, added);

  const compared = compareSettings(before.settings, settings);
  const change = namesAnew ? { ...compared, newVersion: true } : compared;
  const configVersion = before.configVersion + (change.newVersion ? 1 : 0);
  const rules = { before: rulesOfAlerts(before.settings), after: rulesOfAlerts(settings) };
  const newRules = !isDeepStrictEqual(rules.before, rules.after);
  const rulesVersion = before.rulesVersion + (newRules ? 1 : 0);
  const monitor = { ...before, settings, secretFields, configVersion, rulesVersion, updatedAt: nowMs };
  await writeMonitor(sql, services.keyring, monitor);
  if (namesAnew || secretFields.length > 0) await writeUses(sql, monitor);
  const restarts = before.settings.enabled !== settings.enabled;
  const recovers = change.newVersion && (await configureHeartbeat(sql, services.keyring, monitor, restarts, nowMs));
  const also = await bindComponents(sql, monitor, nowMs);
  if (newRules) {
    await requireFewRules(sql, monitor.id, rulesVersion, nowMs);
    await insertRules(sql, before, before.createdAt);
    await insertRules(sql, monitor, nowMs);
    await services.hooks.rulesChanged(sql, { state, ...rules, atMs: nowMs });
  }
  if (change.newVersion) await applyVersion(sql, services, { monitor, deleted: false, change, state, recovers }, nowMs);
  return monitorEntry('monitor.updated', { before, after: monitor }, also);
}

function rulesOfAlerts({ alert_rules }: MonitorSettings): AlertRules {
  return alert_rules ?? defaultAlertRules;
}

/** Whether other selectors may match the monitor afterwards. */
export function changesMatching({ name, labels, component_ids: components }: Partial<MonitorPatch>): boolean {
  return name !== undefined || labels !== undefined || components !== undefined;
}

/** Hidden texts keep the stored ones. */
function patchSettings(stored: MonitorSettings, patch: MonitorPatch): MonitorSettings {
  const given = Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  ) as Partial<MonitorSettings>;
  const merged = withKind(reveal({ ...stored, ...given }, stored).settings);
  return { ...merged, component_ids: merged.component_ids.toSorted() };
}

/** Replaces a policy and rules of null with the default ones. */
export function withDefaultPolicy<Settings extends Partial<Pick<MonitorPatch, 'alert_policy' | 'alert_rules'>>>(
  settings: Settings,
): Settings {
  return {
    ...settings,
    ...(settings.alert_policy === null ? { alert_policy: defaultAlertPolicy } : {}),
    ...(settings.alert_rules === null ? { alert_rules: defaultAlertRules } : {}),
  };
}
