import type { AuditEntry } from '../../session/api-types.ts';

type Resource = AuditEntry['resource'];
type Fields = AuditEntry['before'];

/** What can be done to each resource, in the words of the audit. */
export const auditVerbs = {
  project: 'created updated limits_changed quota_changed imports_changed signal_key_rotated',
  token: 'created revoked',
  session: 'created refused ended',
  monitor: 'created restored updated paused resumed deleted secret_rotated history_imported',
  component: 'created updated ordered deleted',
  status_page: 'created updated deleted link_rotated',
  page_domain: 'created canonical_set deleted',
  subscriber: 'created updated imported deleted',
  alert: 'acknowledged',
  alert_group: 'acknowledged',
  incident: 'opened promoted changed updated update_edited resolved deleted imported',
  delivery: 'replayed',
  webhook: 'created updated secret_rotated deleted',
  slack: 'connected disconnected',
  release: 'created deleted',
  flow: 'created updated deleted',
  report: 'created updated deleted',
  event: 'user_erased erased',
  channel: 'created updated deleted',
  route: 'created updated ordered deleted',
  maintenance: 'created updated extended ended cancelled update_posted update_edited deleted',
  region: 'created',
  agent: 'created revoked',
  wall: 'created deleted',
  check: 'rebuilt',
  secret: 'created updated rotated deleted resealed',
  installation: 'restored',
  config: 'applied released',
  sending: 'paused resumed',
  person: 'created updated erased',
  sign_in_link: 'created used',
  invitation: 'created resent revoked accepted',
  identity: 'linked unlinked',
  passkey: 'created updated deleted',
  group_role: 'created deleted',
  member: 'added role_changed removed left',
} as const satisfies Record<Resource, string>;

/** What is changed on purpose: neither sign-ins nor repeated deliveries. */
export const changedResources = (Object.keys(auditVerbs) as Resource[]).filter(
  resource => !['session', 'delivery', 'sign_in_link', 'passkey', 'identity'].includes(resource),
);

/** The actions of a resource by their names in the API; of all of them without one. */
export function actionsOf(resource: string): string[] {
  return Object.entries(auditVerbs)
    .filter(([name]) => resource === '' || name === resource)
    .flatMap(([name, verbs]) => verbs.split(' ').map(verb => `${name}.${verb}`));
}

/** `Monitor updated`. */
export function describeAction(action: string): string {
  const text = action.replaceAll(/[._]/g, ' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** `CI (token)`, `the operator`. */
export function describeActor({ actor, via }: Pick<AuditEntry, 'actor' | 'via'>): string {
  if (actor.type === 'admin') return 'the operator';
  if (actor.token !== null) return `${actor.name ?? actor.id} by the token ${actor.token.name} (${via})`;
  const way = via === 'api' || via === 'admin' ? actor.type : via;
  return `${actor.name ?? actor.id} (${way})`;
}

/** Where this dashboard shows what changed; null if it is gone, or has no view. */
export function addressOf({ action, resource, subject }: Pick<AuditEntry, 'action' | 'resource' | 'subject'>) {
  if (action.endsWith('.deleted')) return null;
  const views: Partial<Record<Resource, string>> = {
    monitor: '#/monitors/',
    alert: '#/alerts/',
    incident: '#/incidents/',
    flow: '#/events/flows/',
    report: '#/events/reports/',
    channel: '#/channels/',
    route: '#/channels/routes/',
    maintenance: '#/maintenance/',
    status_page: '#/status-pages/',
  };
  const view = views[resource];
  return view === undefined ? null : `${view}${subject}`;
}

/** One field as texts; null on the side where there was no resource. */
export type Difference = { field: string; before: string | null; after: string | null };

/** What changed, field by field. Objects are compared by their members, so that only those that differ are shown. */
export function differencesOf({ before, after }: { before: Fields; after: Fields }): Difference[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  return names.flatMap(name => compare(name, before?.[name], after?.[name], before !== null, after !== null));
}

function compare(field: string, before: unknown, after: unknown, had: boolean, has: boolean): Difference[] {
  const [old, now] = [before ?? {}, after ?? {}];
  if (had && has && isMap(old) && isMap(now) && (isMap(before) || isMap(after))) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
    return names
      .filter(name => JSON.stringify(old[name]) !== JSON.stringify(now[name]))
      .flatMap(name => compare(`${field}.${name}`, old[name], now[name], true, true));
  }
  return [{ field, before: had ? textOf(before) : null, after: has ? textOf(after) : null }];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'string') return value === '' ? '(empty)' : value;
  if (Array.isArray(value) && value.every(item => typeof item !== 'object'))
    return value.length === 0 ? 'none' : value.join(', ');
  return JSON.stringify(value);
}

/** The instants of a day from its start, for a filter; empty if there is no day. */
export function dayStart(date: string): string | undefined {
  return date === '' ? undefined : `${date}T00:00:00Z`;
}

/** The start of the day after, since ranges end before their last instant; of what is no day, the API says so. */
export function dayEnd(date: string): string | undefined {
  const start = dayStart(date);
  const ms = Date.parse(start ?? '');
  return Number.isNaN(ms) ? start : new Date(ms + 86_400_000).toISOString();
}
