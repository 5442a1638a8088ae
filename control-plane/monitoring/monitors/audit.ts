import type { AuditAction } from '../../platform/audit/actions.ts';
import type { Change, Effect, Fields } from '../../platform/audit/entry.ts';
import { addressFields, sealed } from '../../platform/audit/sealed.ts';
import type { AuthSettings } from './auth/auth.ts';
import type { EgressSettings } from './egress/egress.ts';
import type { StepSettings } from './kinds/steps.ts';
import type { StoredMonitor } from './row.ts';

/** A monitor's settings for the audit: header values and the body as secrets. */
function auditMonitor({ settings }: StoredMonitor): Fields {
  const { url: _url, ...shown } = settings;
  return {
    ...addressFields(settings.url),
    ...shown,
    headers: auditValues(settings.headers),
    body: sealed(settings.body),
    ...(settings.heartbeat == null
      ? {}
      : { heartbeat: { ...settings.heartbeat, aliases: settings.heartbeat.aliases.map(alias => sealed(alias)) } }),
    ...(settings.auth == null ? {} : { auth: auditAuth(settings.auth) }),
    ...(settings.egress == null ? {} : { egress: auditEgress(settings.egress) }),
    ...(settings.tcp == null ? {} : { tcp: auditSend(settings.tcp) }),
    ...(settings.grpc == null ? {} : { grpc: { ...settings.grpc, metadata: auditValues(settings.grpc.metadata) } }),
    ...(settings.websocket == null ? {} : { websocket: auditSend(settings.websocket) }),
    ...(settings.multistep == null ? {} : { multistep: { steps: settings.multistep.steps.map(auditStep) } }),
  };
}

function auditAuth(auth: AuthSettings): Fields {
  if (auth.type === 'oauth2') {
    const { url: token_url, url_query: token_url_query } = addressFields(auth.token_url);
    const query = token_url_query === undefined ? {} : { token_url_query };
    return { ...auth, token_url, ...query, client_secret: sealed(auth.client_secret) };
  }
  if (auth.type === 'basic') return { ...auth, password: sealed(auth.password) };
  return { ...auth, token: sealed(auth.token) };
}

function auditEgress(egress: EgressSettings): Fields {
  const { client_certificate: pair, proxy } = egress;
  return {
    ...egress,
    ...(pair === null ? {} : { client_certificate: { ...pair, private_key: sealed(pair.private_key) } }),
    ...(proxy === null ? {} : { proxy: { ...proxy, password: sealed(proxy.password) } }),
  };
}

function auditValues(values: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, sealed(value)]));
}

function auditSend<Own extends { send: string | null }>(own: Own): Fields {
  return { ...own, send: sealed(own.send) };
}

function auditStep({ url, headers, body, auth, ...shown }: StepSettings): Fields {
  const values = Object.entries(headers).map(([name, value]) => [name, sealed(value)]);
  return {
    ...addressFields(url),
    ...shown,
    headers: Object.fromEntries(values),
    body: sealed(body),
    auth: auth === null ? null : auditAuth(auth),
  };
}

/** The entry of a change; `before` is null for a new monitor, `after` for a deleted one. */
export function monitorEntry(
  action: AuditAction,
  { before, after }: { before: StoredMonitor | null; after: StoredMonitor | null },
  also: readonly Effect[] = [],
): Change {
  const { id: subject = '', settings } = after ?? before ?? {};
  const show = (monitor: StoredMonitor | null) => (monitor === null ? null : auditMonitor(monitor));
  return { action, subject, name: settings?.name ?? null, before: show(before), after: show(after), also };
}
