import type { Sql } from '../../platform/db/sql.ts';
import type { ValidFields } from '../../platform/http/bodies/parse-body.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import type { FieldError } from '../../platform/http/problem.ts';
import { lockQuota } from '../../platform/project-limits/quota-store.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { unknownComponents } from '../components/reference-store.ts';
import { lockSelectorBindings } from '../components/selector-binding-store.ts';
import { changesMatching } from './change.ts';
import { kindOfUrl } from './kinds/kinds.ts';
import { requireAgents } from './kinds/without-agents.ts';
import type { MonitorPatch, MonitorSettings, MonitorTest } from './monitor.ts';
import { toMonitor } from './row.ts';
import { reveal } from './secrets/hidden.ts';
import { settingsErrors } from './settings.ts';
import { withoutShownUrl } from './shown-url.ts';
import { lockStates } from './state/state-store.ts';
import { findMonitor, listRegionCodes, lockMonitor, unknownRegions } from './store.ts';

const namedRegionsMax = 10;

/** Errors between the fields of a new monitor, and of its regions, components and hidden header values. */
export async function validateNewMonitor(
  sql: Sql,
  projectId: string,
  fields: ValidFields<MonitorSettings>,
): Promise<FieldError[]> {
  await lockSelectorBindings(sql, projectId, 'shared');
  return validateSettings(sql, projectId, fields, {});
}

/**
 * Errors of the settings that a patch would leave. Locks the monitor, so that they are still those when the patch is
 * applied; none when it does not exist. Throws `changed_since`.
 */
export async function validateMonitorPatch(
  sql: Sql,
  keyring: Keyring,
  target: { projectId: string; id: string; expectedUpdate: number | null },
  fields: ValidFields<MonitorPatch>,
): Promise<FieldError[]> {
  // Before the rows, like everywhere: a quota's lock that is taken after them could wait for who waits for them.
  if (fields.regions !== undefined) await lockQuota(sql, target.projectId, 'monitor_regions');
  if (changesMatching(fields)) await lockSelectorBindings(sql, target.projectId, 'shared');
  await lockStates(sql, [target.id]);
  const row = await lockMonitor(sql, target.projectId, target.id);
  if (row === null) return [];
  requireUnchanged(target.expectedUpdate, row.updated_at);
  const { settings } = toMonitor(row, keyring);
  const errors = await validateSettings(sql, target.projectId, mergedFields(settings, fields), settings);
  return fields.kind === undefined || fields.kind === settings.kind ? errors : [otherKind(settings.kind), ...errors];
}

/**
 * Errors of a patch that is only tried, as `validateMonitorPatch` would find them, at the member `changes`. Locks
 * neither the monitor nor components that stay; none when the monitor does not exist.
 */
export async function validateTriedPatch(
  sql: Sql,
  keyring: Keyring,
  { projectId, id }: { projectId: string; id: string },
  changes: ValidFields<MonitorPatch>,
): Promise<FieldError[]> {
  const found = await findMonitor(sql, keyring, projectId, id);
  if (found === null) return [];
  const { settings } = found.monitor;
  const merged = mergedFields({ ...settings, component_ids: [] }, changes);
  const errors = await validateSettings(sql, projectId, merged, settings);
  return errors.map(error => ('pointer' in error ? { ...error, pointer: `/changes${error.pointer}` } : error));
}

/** Errors of the settings that are to be tried, with the stored secrets that a monitor lends them. */
export async function validateMonitorTest(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  { monitor_id: id, ...fields }: ValidFields<MonitorTest>,
): Promise<FieldError[]> {
  if (fields.kind !== undefined) requireAgents(fields.kind);
  if (fields.url !== undefined) requireAgents(kindOfUrl(fields.url) ?? 'http');
  const lender = id === undefined ? null : await findMonitor(sql, keyring, projectId, id);
  const unknown = id === undefined || lender !== null ? [] : [unknownReference('/monitor_id', 'is not a monitor')];
  const stored = lender?.monitor.settings ?? {};
  return [...unknown, ...(await validateSettings(sql, projectId, fields, stored))];
}

/** The fields that a patch leaves. An interval that followed from a cron expression is not kept without it. */
function mergedFields(stored: MonitorSettings, fields: ValidFields<MonitorPatch>): ValidFields<MonitorSettings> {
  const merged = { ...withoutShownUrl(stored), ...fields };
  const changesCron = fields.heartbeat !== undefined && fields.heartbeat?.cron !== stored.heartbeat?.cron;
  const changesZone = fields.heartbeat != null && fields.heartbeat.timezone !== stored.heartbeat?.timezone;
  const isStale = fields.interval_seconds === undefined && !Object.hasOwn(fields, 'interval_seconds');
  if (stored.kind !== 'heartbeat' || !isStale || !(changesCron || changesZone)) return merged;
  if (fields.heartbeat?.cron == null && stored.heartbeat?.cron == null) return merged;
  const { interval_seconds: _followed, ...others } = merged;
  return others;
}

async function validateSettings(
  sql: Sql,
  projectId: string,
  fields: ValidFields<MonitorSettings>,
  stored: ValidFields<MonitorSettings>,
): Promise<FieldError[]> {
  const { regions = [], component_ids = [] } = fields;
  const { settings, missing } = reveal(fields, stored);
  const noComponents = await unknownComponents(sql, projectId, component_ids);
  return [
    ...settingsErrors(settings),
    ...(await regionErrors(sql, projectId, regions)),
    ...noComponents.map(id =>
      unknownReference(`/component_ids/${component_ids.indexOf(id)}`, 'is not a component of this project'),
    ),
    ...missing.map(nothingStored),
  ];
}

async function regionErrors(sql: Sql, projectId: string, regions: readonly string[]): Promise<FieldError[]> {
  const unknown = regions.length === 0 ? [] : await unknownRegions(sql, projectId, regions);
  if (unknown.length === 0) return [];
  const codes = await listRegionCodes(sql, projectId, namedRegionsMax + 1);
  const named = [...codes.slice(0, namedRegionsMax), ...(codes.length > namedRegionsMax ? ['…'] : [])].join(', ');
  const detail = named === '' ? 'is not an available region' : `is not an available region; available: ${named}`;
  return unknown.map(code => unknownReference(`/regions/${regions.indexOf(code)}`, detail));
}

function otherKind(kind: string | undefined): FieldError {
  return { pointer: '/kind', code: 'read_only', detail: `is ${kind} and cannot be changed` };
}

function nothingStored(pointer: string): FieldError {
  return { pointer, code: 'not_allowed', detail: 'has no stored value to keep' };
}

function unknownReference(pointer: string, detail: string): FieldError {
  return { pointer, code: 'unknown_reference', detail };
}
