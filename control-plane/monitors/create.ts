import { newId } from '#shared/ids.ts';
import { replaceComponentsOf } from '../components/binding-store.ts';
import { unknownComponents } from '../components/store.ts';
import type { Sql } from '../db/sql.ts';
import { appendFact } from '../facts/store.ts';
import { type FieldError, Problem } from '../http/problem.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { revealValues } from './header-rules.ts';
import { defaultAlertPolicy, type MonitorSettings, revivalDays } from './monitor.ts';
import { rulesOf, settingsFaults } from './settings.ts';
import type { MonitorStages } from './stages.ts';
import { lockStates } from './state-store.ts';
import { lockDeletedByName, type StoredMonitor, unknownRegions, writeMonitor } from './store.ts';
import { insertVersion } from './version-store.ts';

export type MonitorServices = { keyring: Keyring; stages: MonitorStages };

const dayMs = 86_400_000;

/**
 * Makes a monitor. One of the same name that was deleted within 30 days comes back instead: its id, age and
 * history, with the configuration as posted. Throws `validation_failed`.
 */
export async function createMonitor(
  sql: Sql,
  services: MonitorServices,
  projectId: string,
  posted: MonitorSettings,
  nowMs: number,
): Promise<string> {
  const { headers, missing } = revealValues(posted.headers, {});
  await refuseFaults(sql, projectId, posted, missing);
  const settings = { ...posted, headers };
  const deleted = await lockDeletedByName(sql, projectId, settings.name, nowMs - revivalDays * dayMs);
  const monitor: StoredMonitor = {
    id: deleted?.id ?? newId('mon', nowMs),
    projectId,
    settings,
    configVersion: (deleted?.config_version ?? 0) + 1,
    createdAt: deleted?.created_at ?? nowMs,
    updatedAt: nowMs,
  };
  const [state = null] = deleted === null ? [] : await lockStates(sql, [deleted.id]);
  const change = { bumps: true, dropsVotes: true, movesFloor: true };
  const rules = rulesOf(settings, monitor.configVersion, false);
  await writeMonitor(sql, services.keyring, monitor);
  await bindComponents(sql, monitor, nowMs);
  await insertVersion(sql, {
    monitorId: monitor.id,
    projectId,
    rules,
    change,
    assertions: settings.assertions,
    atMs: nowMs,
  });
  await services.stages.configured(sql, { monitorId: monitor.id, projectId, state, rules, change, atMs: nowMs });
  return monitor.id;
}

/** Binds the monitor to the components it names, and tells of each whose binding changed. */
export async function bindComponents(
  sql: Sql,
  { id, projectId, settings }: StoredMonitor,
  nowMs: number,
): Promise<void> {
  for (const { component_id, status_page_id } of await replaceComponentsOf(
    sql,
    projectId,
    id,
    settings.component_ids,
  )) {
    const payload = { status_page_id };
    await appendFact(sql, { kind: 'component.changed', projectId, subject: component_id, payload }, nowMs);
  }
}

/** Throws all faults of a whole configuration at once. */
export async function refuseFaults(
  sql: Sql,
  projectId: string,
  settings: MonitorSettings,
  missingHeaders: readonly string[],
): Promise<void> {
  const faults = [
    ...(await furtherFaults(sql, projectId, settings)),
    ...missingHeaders.map((name): FieldError => {
      const pointer = `/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return { pointer, code: 'not_allowed', detail: 'there is no stored value to keep' };
    }),
  ];
  if (faults.length > 0) throw new Problem('validation_failed', { errors: faults });
}

/** Faults between fields, unknown regions and components, of the fields that are there. */
export async function furtherFaults(
  sql: Sql,
  projectId: string,
  settings: Partial<MonitorSettings>,
): Promise<FieldError[]> {
  const { regions = [], component_ids = [] } = settings;
  const unknown = regions.length === 0 ? [] : await unknownRegions(sql, projectId, regions);
  const components = await unknownComponents(sql, projectId, component_ids);
  const refuse = (pointer: string, what: string): FieldError => ({
    pointer,
    code: 'unknown_reference',
    detail: `is not a ${what}`,
  });
  return [
    ...settingsFaults(settings),
    ...unknown.map(code => refuse(`/regions/${regions.indexOf(code)}`, 'region')),
    ...components.map(id => refuse(`/component_ids/${component_ids.indexOf(id)}`, 'component')),
  ];
}

/** A policy of null is the default one. */
export function withPolicy<Settings extends { alert_policy: MonitorSettings['alert_policy'] }>(
  settings: Settings,
): Settings {
  return settings.alert_policy === null ? { ...settings, alert_policy: defaultAlertPolicy } : settings;
}
