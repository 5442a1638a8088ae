import { capabilities, gatewayCapabilities, hostCapabilities } from '#shared/capabilities.ts';
import { monitorKinds } from '#shared/checks/vocabulary.ts';
import { lockSelectorBindings } from '../../monitoring/components/selector-binding-store.ts';
import { alertRulesSchema } from '../../monitoring/monitors/alert-rules.ts';
import { kindOf, kindOfUrl } from '../../monitoring/monitors/kinds/kinds.ts';
import type { MonitorSettings } from '../../monitoring/monitors/monitor.ts';
import { hiddenValue } from '../../monitoring/monitors/secrets/hidden.ts';
import { type Place, placesOf } from '../../monitoring/monitors/secrets/places.ts';
import { referencesIn } from '../../monitoring/monitors/secrets/references.ts';
import { compareSettings } from '../../monitoring/monitors/settings.ts';
import { lockStates } from '../../monitoring/monitors/state/state-store.ts';
import { findMonitor } from '../../monitoring/monitors/store.ts';
import type { ValidFields } from '../../platform/http/bodies/parse-body.ts';
import { lockQuota } from '../../platform/project-limits/quota-store.ts';
import type { Body, ConfigKind, ResourceRow } from './kind.ts';
import { isPublicHeader } from './public-headers.ts';
import { monitorRows } from './rows-store.ts';

export const monitorsKind: ConfigKind = {
  type: 'monitors',
  path: '/v0/monitors',
  scope: 'monitors',
  resource: 'Monitor',
  named: 'name',
  prefix: 'mon',
  references: [{ within: ['events'], name: 'flow', field: 'flow_id', type: 'flows' }],
  without: ['component_ids'],
  rows: monitorRows,
  isNewer,
  takes,
  secretMembers: ['headers', 'body', 'auth', 'egress', 'tcp', 'websocket', 'grpc', 'heartbeat', 'multistep'],
  secretsOf: body =>
    placesOf(body as ValidFields<MonitorSettings>)
      .filter(place => !isHarmless(place))
      .map(({ pointer }) => pointer),
  // An alias is taken or free in the whole installation: nobody may try out which.
  blind: (body, shown) => {
    const { heartbeat } = body as { heartbeat?: Body | null };
    if (heartbeat == null || typeof heartbeat !== 'object') return body;
    const { heartbeat: known } = (shown ?? {}) as { heartbeat?: Body | null };
    return { ...body, heartbeat: { ...heartbeat, aliases: known?.aliases ?? [] } };
  },
  standIn: ({ name, regions }) => ({ name, regions, url: 'https://stand-in.invalid/', interval_seconds: 60 }),
  stored: async (sql, keyring, projectId, id) => (await findMonitor(sql, keyring, projectId, id))?.monitor.settings,
  effects: (before, after) => {
    const { newVersion, dropsVotes } = compareSettings(before as MonitorSettings, after as MonitorSettings);
    return { bumps: newVersion, drops_votes: dropsVotes };
  },
  // A kind's own object of null stands for its defaults.
  whole: ({ kind, ...body }) => {
    const own = String(kind ?? kindOfUrl(String(body.url ?? '')) ?? 'http');
    const ownObject = own === 'http' ? {} : { [own]: body[own] ?? null };
    return {
      ...body,
      kind: own,
      auth: body.auth ?? null,
      egress: body.egress ?? null,
      http_version: body.http_version ?? null,
      ...ownObject,
    };
  },
  // Results lock states in the order of ids.
  lock: async (sql, projectId, ids) => {
    await lockQuota(sql, projectId, 'monitor_regions');
    await lockSelectorBindings(sql, projectId, 'alone');
    await lockStates(sql, ids.toSorted());
  },
};

const knownWords: ReadonlySet<string> = new Set([
  '',
  ...capabilities,
  ...hostCapabilities,
  ...gatewayCapabilities,
  ...Object.keys(alertRulesSchema.shape),
]);

function isNewer({ kind, holds }: ResourceRow): boolean {
  const known = monitorKinds.find(name => name === kind);
  if (known === undefined) return true;
  const voter = kindOf(known).withoutAgents?.voter;
  return holds.split(' ').some(word => word !== voter && !knownWords.has(word));
}

const ofHttp: ReadonlySet<string> = new Set(['method', 'body', 'follow_redirects']);
const ofAgents: ReadonlySet<string> = new Set(['regions', 'quorum', 'timeout_ms', 'egress']);

function takes({ kind, url, ...others }: Body, item: Body, member: string): boolean {
  const owned = monitorKinds.find(name => Object.hasOwn(item, name));
  const named = String(item.kind ?? owned ?? kind ?? kindOfUrl(String(url ?? '')) ?? 'http');
  const known = monitorKinds.find(name => name === named);
  if (known === undefined) return true;
  const { withoutAgents, takesAuth, takesHttpVersion } = kindOf(known);
  if (ofHttp.has(member)) return known === 'http';
  if (ofAgents.has(member)) return withoutAgents === null;
  if (member === 'headers') return known === 'http' || known === 'websocket';
  if (member === 'auth') return takesAuth;
  if (member === 'http_version') return takesHttpVersion;
  if (member === 'interval_seconds')
    return withoutAgents?.intervalSeconds == null && (others.heartbeat as { cron?: unknown } | null)?.cron == null;
  return member === known || !monitorKinds.some(name => name === member);
}

/** Shown to everybody, hidden, a reference to a secret, or a text that is none by itself. */
function isHarmless({ path, text, isShown, sealed, isHeader }: Place): boolean {
  if (
    isShown === true ||
    (!sealed && !isHeader) ||
    text === '' ||
    text === hiddenValue ||
    referencesIn(text).names.length > 0
  )
    return true;
  return path.includes('headers') && isPublicHeader(String(path.at(-1)));
}
