import type { Sql } from '../../platform/db/sql.ts';
import type { ValidFields } from '../../platform/http/bodies/parse-body.ts';
import { allows, type Caller } from '../../platform/http/endpoint/caller.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';
import { lockQuota } from '../../platform/project-limits/quota-store.ts';
import { unknownComponents } from '../components/reference-store.ts';
import { lockSelectorBindings } from '../components/selector-binding-store.ts';
import { changesMatching } from './change.ts';
import type { MonitorServices } from './configure.ts';
import { wholeEvents } from './kinds/events.ts';
import { kindOfUrl } from './kinds/kinds.ts';
import { withSentKind } from './kinds/sent-kind.ts';
import { requireAgents } from './kinds/without-agents.ts';
import type { Meter } from './measures/meter.ts';
import type { MonitorPatch, MonitorSettings, MonitorTest } from './monitor.ts';
import { toMonitor } from './row.ts';
import { reveal } from './secrets/hidden.ts';
import { lockSecretUses, readSecretsNamed } from './secrets/project-secrets-store.ts';
import { referenceErrors, shownReferenceErrors } from './secrets/reference-errors.ts';
import { namesOf, referringPlaces } from './secrets/uses.ts';
import { settingsErrors } from './settings.ts';
import { withoutShownUrl } from './shown-url.ts';
import { lockStates } from './state/state-store.ts';
import { findMonitor, listRegionCodes, lockMonitor, unknownRegions } from './store.ts';

const namedRegionsMax = 10;

type Services = Pick<MonitorServices, 'keyring' | 'meter'>;

/** Whose request it is. */
export type Asker = Pick<Caller, 'projectId' | 'scopes'>;

/** With the body as it came, which says a kind although its URL is wrong. */
type Sender = Asker & { sent: unknown };

/** Errors between the fields of a new monitor, and of its regions, components and hidden header values. */
export async function validateNewMonitor(
  sql: Sql,
  services: Services,
  asker: Sender,
  valid: ValidFields<MonitorSettings>,
): Promise<FieldError[]> {
  const fields = withSentKind(valid, asker.sent);
  await lockSecretUses(sql, asker.projectId, 'shared');
  await lockSelectorBindings(sql, asker.projectId, 'shared');
  return validateSettings(sql, services, asker, { given: fields, fields, stored: nothingYet });
}

/**
 * Errors of the settings that a patch would leave. Locks the monitor, so that they are still those when the patch is
 * applied; none when it does not exist. Throws `changed_since`.
 */
export async function validateMonitorPatch(
  sql: Sql,
  services: Services,
  target: Asker & { id: string; expectedUpdate: number | null },
  fields: ValidFields<MonitorPatch>,
): Promise<FieldError[]> {
  await lockSecretUses(sql, target.projectId, 'shared');
  // Before the rows, like everywhere: a quota's lock that is taken after them could wait for who waits for them.
  if (fields.regions !== undefined) await lockQuota(sql, target.projectId, 'monitor_regions');
  if (changesMatching(fields)) await lockSelectorBindings(sql, target.projectId, 'shared');
  await lockStates(sql, [target.id]);
  const row = await lockMonitor(sql, target.projectId, target.id);
  if (row === null) return [];
  requireUnchanged(target.expectedUpdate, row.updated_at);
  const stored = toMonitor(row, services.keyring);
  const { settings } = stored;
  const merged = mergedFields(settings, fields);
  const errors = await validateSettings(sql, services, target, { given: fields, fields: merged, stored });
  return [...kindErrors(settings, fields), ...errors];
}

/**
 * Errors of a patch that is only tried, as `validateMonitorPatch` would find them, at the member `changes`. Locks
 * neither the monitor nor components that stay; none when the monitor does not exist.
 */
export async function validateTriedPatch(
  sql: Sql,
  services: Services,
  asker: Asker & { id: string },
  changes: ValidFields<MonitorPatch>,
): Promise<FieldError[]> {
  const found = await findMonitor(sql, services.keyring, asker.projectId, asker.id);
  if (found === null) return [];
  const { monitor: stored } = found;
  const fields = mergedFields({ ...stored.settings, component_ids: [] }, changes);
  const { settings } = stored;
  const errors = await validateSettings(sql, services, asker, { given: changes, fields, stored });
  return [...kindErrors(settings, changes), ...errors].map(error =>
    'pointer' in error ? { ...error, pointer: `/changes${error.pointer}` } : error,
  );
}

/** Errors of the settings that are to be tried, with the stored secrets that a monitor lends them. */
export async function validateMonitorTest(
  sql: Sql,
  services: Services,
  asker: Sender,
  { monitor_id: id, ...valid }: ValidFields<MonitorTest>,
): Promise<FieldError[]> {
  const fields = withSentKind(valid, asker.sent);
  // Events are counted at once, without an agent.
  if (fields.kind !== undefined && fields.kind !== 'events') requireAgents(fields.kind);
  if (fields.url !== undefined) requireAgents(kindOfUrl(fields.url) ?? 'http');
  const lender = id === undefined ? null : await findMonitor(sql, services.keyring, asker.projectId, id);
  const unknown = id === undefined || lender !== null ? [] : [unknownReference('/monitor_id', 'is not a monitor')];
  const stored = { settings: lender?.monitor.settings ?? {}, secretFields: [] };
  return [...unknown, ...(await validateSettings(sql, services, asker, { given: fields, fields, stored }))];
}

/** What a patch leaves, of the stored kind. An interval that followed from a cron expression is not kept without it. */
function mergedFields(stored: MonitorSettings, fields: ValidFields<MonitorPatch>): ValidFields<MonitorSettings> {
  const merged = { ...withoutShownUrl(stored), ...fields, ...(stored.kind === undefined ? {} : { kind: stored.kind }) };
  const changesCron = fields.heartbeat !== undefined && fields.heartbeat?.cron !== stored.heartbeat?.cron;
  const changesZone = fields.heartbeat != null && fields.heartbeat.timezone !== stored.heartbeat?.timezone;
  const isStale = fields.interval_seconds === undefined && !Object.hasOwn(fields, 'interval_seconds');
  if (stored.kind !== 'heartbeat' || !isStale || !(changesCron || changesZone)) return merged;
  if (fields.heartbeat?.cron == null && stored.heartbeat?.cron == null) return merged;
  const { interval_seconds: _followed, ...others } = merged;
  return others;
}

/** `given`: what the body has; `fields`: that with what is stored, which is in `stored` with all its secrets. */
type Wanted = {
  given: ValidFields<MonitorSettings>;
  fields: ValidFields<MonitorSettings>;
  stored: { settings: ValidFields<MonitorSettings>; secretFields: readonly string[] };
};

const nothingYet = { settings: {}, secretFields: [] };

async function validateSettings(
  sql: Sql,
  services: Services,
  asker: Asker,
  { given, fields, stored }: Wanted,
): Promise<FieldError[]> {
  const { projectId } = asker;
  const { regions = [], component_ids = [] } = fields;
  const { settings, missing } = reveal(fields, stored.settings);
  requireSecretsScope(asker, given);
  const secretFields = [...stored.secretFields, ...Object.keys(given)];
  const secrets = await readSecretsNamed(sql, services.keyring, projectId, namesOf(settings, secretFields));
  const noComponents = await unknownComponents(sql, projectId, component_ids);
  return [
    ...settingsErrors(settings),
    ...(await regionErrors(sql, projectId, regions)),
    ...(await flowErrors(sql, services.meter, asker, given)),
    ...noComponents.map(id =>
      unknownReference(`/component_ids/${component_ids.indexOf(id)}`, 'is not a component of this project'),
    ),
    ...missing.map(nothingStored),
    ...shownReferenceErrors(given),
    ...referenceErrors(settings, secretFields, secrets),
  ];
}

/** Who names a secret must be allowed to read the list of them: its value goes where the monitor sends it. */
function requireSecretsScope({ scopes }: Asker, given: ValidFields<MonitorSettings>): void {
  if (allows(scopes, 'secrets:read') || referringPlaces(given, Object.keys(given)).length === 0) return;
  throw new Problem('insufficient_scope', { detail: 'a body that names a secret needs the scope secrets:read' });
}

/** Who sets what events are counted must be allowed to read them: the value says how many there are. */
async function flowErrors(
  sql: Sql,
  meter: Meter,
  { projectId, scopes }: Asker,
  { kind, events }: ValidFields<MonitorSettings>,
): Promise<FieldError[]> {
  if (kind !== 'events' && events == null) return [];
  if (!allows(scopes, 'events:read'))
    throw new Problem('insufficient_scope', { detail: 'a body that names events needs the scope events:read' });
  if (events?.flow_id == null || events.event !== null) return [];
  const flow = await meter.findFlow(sql, projectId, events.flow_id);
  if (flow === null) return [unknownReference('/events/flow_id', 'is not a flow of this project')];
  if ((wholeEvents(events).within_seconds ?? 0) <= flow.windowSeconds) return [];
  const detail = `must be at most the window of the flow, ${flow.windowSeconds}`;
  return [{ pointer: '/events/within_seconds', code: 'out_of_range', detail }];
}

async function regionErrors(sql: Sql, projectId: string, regions: readonly string[]): Promise<FieldError[]> {
  const unknown = regions.length === 0 ? [] : await unknownRegions(sql, projectId, regions);
  if (unknown.length === 0) return [];
  const codes = await listRegionCodes(sql, projectId, namedRegionsMax + 1);
  const named = [...codes.slice(0, namedRegionsMax), ...(codes.length > namedRegionsMax ? ['…'] : [])].join(', ');
  const detail = named === '' ? 'is not an available region' : `is not an available region; available: ${named}`;
  return unknown.map(code => unknownReference(`/regions/${regions.indexOf(code)}`, detail));
}

/** A kind is fixed: the rules of another say nothing about the monitor. */
function kindErrors({ kind: stored }: MonitorSettings, { kind: asked }: ValidFields<MonitorPatch>): FieldError[] {
  if (asked === undefined || asked === stored) return [];
  return [{ pointer: '/kind', code: 'read_only', detail: `is ${stored} and cannot be changed` }];
}

function nothingStored(pointer: string): FieldError {
  return { pointer, code: 'not_allowed', detail: 'has no stored value to keep' };
}

function unknownReference(pointer: string, detail: string): FieldError {
  return { pointer, code: 'unknown_reference', detail };
}
