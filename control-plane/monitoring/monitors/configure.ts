import type { Effect } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { appendFacts } from '../../platform/facts/store.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { bindingEffect } from '../components/audit.ts';
import { replaceComponentsOf } from '../components/binding-store.ts';
import { listComponentsOf, listPagesOfComponents } from '../components/reference-store.ts';
import { bindMatchedMonitor } from '../components/selector-binding-store.ts';
import { refreshMemberships } from '../memberships/member-store.ts';
import { warningOf } from './alert-rules.ts';
import type { MonitorHooks } from './hooks.ts';
import type { Meter } from './measures/meter.ts';
import type { StoredMonitor } from './row.ts';
import { type ConfigurationChange, rulesOf } from './settings.ts';
import type { MonitorState } from './state/state.ts';
import { raiseStates } from './state/state-store.ts';
import { raiseVersions } from './store.ts';
import { requireFewVersions } from './versions/limit.ts';
import { insertVersion, repeatVersions } from './versions/store.ts';
import { unchangedOf } from './versions/unchanged.ts';

export type MonitorServices = { keyring: Keyring; hooks: MonitorHooks; meter: Meter };

/** What a new monitor, a revival and a deletion do to the state: everything starts again. */
export const freshStart: ConfigurationChange = { newVersion: true, dropsVotes: true, resetsStart: true };

/** A new version of a monitor. `state` is null for a monitor just created. */
export type NewVersion = {
  monitor: Pick<StoredMonitor, 'id' | 'projectId' | 'settings' | 'configVersion'>;
  deleted: boolean;
  change: ConfigurationChange;
  state: MonitorState | null;
  /** What a heartbeat missed by its old times is in time by the new ones. */
  recovers?: boolean;
};

/** Records a version and calls the hook that applies it to agents and verdict. Throws `limit_reached`. */
export async function applyVersion(
  sql: Sql,
  { hooks }: MonitorServices,
  { monitor, deleted, change, state, recovers = false }: NewVersion,
  nowMs: number,
): Promise<void> {
  const { id: monitorId, projectId, settings } = monitor;
  if (!deleted) await requireFewVersions(sql, monitorId, monitor.configVersion, nowMs);
  const rules = rulesOf(settings, monitor.configVersion, deleted);
  const assertions = deleted ? [] : settings.assertions;
  const warning = deleted ? null : warningOf(settings.alert_rules);
  const unchanged = deleted ? null : unchangedOf(settings);
  await insertVersion(sql, { monitorId, projectId, rules, change, assertions, warning, unchanged, atMs: nowMs });
  await hooks.configured(sql, { monitorId, projectId, state, rules, change, recovers, atMs: nowMs });
}

/**
 * The next version of each, of the same settings, and in sets: up to 500 monitors use a secret, and their results wait
 * meanwhile. Their states are locked. Throws `limit_reached`.
 */
export async function applySameVersions(
  sql: Sql,
  { hooks }: MonitorServices,
  monitors: readonly Pick<StoredMonitor, 'id' | 'configVersion'>[],
  nowMs: number,
): Promise<void> {
  if (monitors.length === 0) return;
  for (const { id, configVersion } of monitors) await requireFewVersions(sql, id, configVersion + 1, nowMs);
  const ids = monitors.map(({ id }) => id);
  await repeatVersions(sql, ids, nowMs);
  await raiseVersions(sql, ids, nowMs);
  await raiseStates(sql, ids);
  await hooks.reconfigured(sql);
}

/**
 * Binds the monitor to the components in its settings and to those whose selectors match it, with a fact for each
 * component whose binding changed. Returns what that is to the components, for the audit.
 */
export async function bindComponents(
  sql: Sql,
  { id, projectId, settings }: StoredMonitor,
  nowMs: number,
): Promise<Effect[]> {
  const { name, labels, kind = 'http', component_ids: componentIds } = settings;
  const named = await replaceComponentsOf(sql, projectId, id, componentIds);
  const subject = { id, name, kind, labels };
  const matched = await bindMatchedMonitor(sql, projectId, subject);
  const joined = await refreshMemberships(sql, projectId, subject, nowMs);
  // What is in maintenance shows on every page of the monitor.
  const all = joined.length === 0 ? [] : await listComponentsOf(sql, id);
  const changed = await listPagesOfComponents(sql, [...named, ...matched.map(match => match.id), ...all]);
  const facts = changed.map(component => {
    const payload = { status_page_id: component.status_page_id };
    return { kind: 'component.changed' as const, projectId, subject: component.id, payload };
  });
  await appendFacts(sql, facts, nowMs);
  return changed.flatMap(component => {
    const other = { resource: 'component', subject: component.id, name: component.name } as const;
    const match = matched.find(candidate => candidate.id === component.id);
    const byId = bindingEffect(other, 'monitor_ids', id, componentIds.includes(component.id));
    const byMatch = match === undefined ? [] : [bindingEffect(other, 'matched_monitor_ids', id, match.bound)];
    return [...(named.includes(component.id) ? [byId] : []), ...byMatch];
  });
}
