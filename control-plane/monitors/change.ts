import type { Sql } from '../db/sql.ts';
import { Problem } from '../http/problem.ts';
import { bindComponents, type MonitorServices, refuseFaults } from './create.ts';
import { revealValues } from './header-rules.ts';
import type { MonitorPatch, MonitorSettings } from './monitor.ts';
import { compareSettings, rulesOf } from './settings.ts';
import { lockStates } from './state-store.ts';
import { lockMonitor, toMonitor, writeMonitor } from './store.ts';
import { insertVersion } from './version-store.ts';

/** Changes some fields; pause and resume are a change of `enabled`. A change that changes nothing writes nothing. Throws `not_found`, `validation_failed`. */
export async function changeMonitor(
  sql: Sql,
  services: MonitorServices,
  target: { projectId: string; id: string },
  patch: MonitorPatch,
  nowMs: number,
): Promise<void> {
  const [state] = await lockStates(sql, [target.id]);
  const row = await lockMonitor(sql, target.projectId, target.id);
  if (row === null || state === undefined) throw new Problem('not_found');
  const before = toMonitor(row, services.keyring);
  const { headers, missing } = revealValues(patch.headers ?? before.settings.headers, before.settings.headers);
  const given = Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  ) as Partial<MonitorSettings>;
  const merged: MonitorSettings = { ...before.settings, ...given, headers };
  const settings = { ...merged, component_ids: [...merged.component_ids].sort() };
  await refuseFaults(sql, target.projectId, settings, missing);
  if (JSON.stringify(settings) === JSON.stringify(before.settings)) return;

  const change = compareSettings(before.settings, settings);
  const configVersion = before.configVersion + (change.bumps ? 1 : 0);
  const after = { ...before, settings, configVersion, updatedAt: nowMs };
  await writeMonitor(sql, services.keyring, after);
  await bindComponents(sql, after, nowMs);
  if (!change.bumps) return;
  const rules = rulesOf(settings, configVersion, false);
  await insertVersion(sql, {
    monitorId: target.id,
    projectId: target.projectId,
    rules,
    change,
    assertions: settings.assertions,
    atMs: nowMs,
  });
  await services.stages.configured(sql, {
    monitorId: target.id,
    projectId: target.projectId,
    state,
    rules,
    change,
    atMs: nowMs,
  });
}
