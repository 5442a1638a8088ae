import { domainItem, hostOf } from '../draft/domains.ts';
import type { Draft } from '../draft/draft.ts';
import { durationMs } from '../draft/duration.ts';
import { labelsFrom } from '../draft/labels.ts';
import { proxyAt, proxyItem } from '../draft/proxies.ts';
import { basicFor, bodyFor, headersFor, methodFor, oauth2For } from '../draft/request.ts';
import { dnsTarget, hostAndPort, hostTarget, httpTarget } from '../draft/target.ts';
import type { Thing } from '../draft/thing.ts';
import { intervalFor, packetsFor, timeoutFor } from '../draft/timing.ts';
import { isReference, isTrue, lineOf, listOf, objectOf, objectsOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';
import { readConditions } from './conditions.ts';
import { thresholdRules } from './thresholds.ts';

/** What endpoints of both sorts have: a monitor that is not put yet. */
export type Endpoint = { thing: Thing; key: string; group: string; item: Item; alerts: readonly Item[] };

const defaultTimeoutMs = 10_000;
const kinds: Readonly<Record<string, string>> = {
  http: 'http',
  https: 'http',
  tcp: 'tcp',
  tls: 'tls',
  starttls: 'tls',
  ssh: 'tcp',
  icmp: 'ping',
  ws: 'websocket',
  wss: 'websocket',
  grpc: 'grpc',
  grpcs: 'grpc',
};

/** An endpoint as a monitor, and one of its domain; what has no equivalent is reported. */
export function readEndpoint(draft: Draft, given: Item): Endpoint[] {
  const lines = listOf(given.conditions).map(textOf);
  const ofDomain = lines.filter(line => line.includes('[DOMAIN_EXPIRATION]'));
  const rest = lines.filter(line => !ofDomain.includes(line));
  const domain = ofDomain.length === 0 ? null : readDomain(draft, given, ofDomain, rest.length > 0);
  if (ofDomain.length > 0 && rest.length === 0) return domain === null ? [] : [domain];
  return [readChecked(draft, given, rest), domain].filter(endpoint => endpoint !== null);
}

/** What the conditions on the end of a domain ask for. `isBeside`: the endpoint is a monitor of its own as well. */
function readDomain(draft: Draft, given: Item, conditions: readonly string[], isBeside: boolean): Endpoint | null {
  const { thing, group, alerts } = begin(draft, isBeside ? 'domain of endpoint' : 'endpoint', given);
  const days = readConditions(thing, 'domain', conditions, '').domainDays;
  const name = isBeside ? lineOf(`${thing.name.slice(0, 190)} (domain)`, 200, '') : thing.name;
  const item = domainItem(hostOf(textOf(given.url)), name, days);
  if (item === null) return leave(thing, 'its host is under no domain that a registry knows');
  if (days.length === 0) return leave(thing, 'it says no time that must be left');
  if (given.interval !== undefined)
    thing.changed('interval', textOf(given.interval), 86_400, 'it is looked up each day');
  return {
    thing,
    key: draft.keyFor('monitors', `${group} ${name}`),
    group,
    item: { ...item, ...stateOf(thing, group, given) },
    alerts,
  };
}

/** Null if it has no equivalent. */
function readChecked(draft: Draft, given: Item, lines: readonly string[]): Endpoint | null {
  const { thing, group, alerts } = begin(draft, 'endpoint', given);
  const url = textOf(given.url);
  const isDns = given.dns !== undefined && given.dns !== null;
  const scheme = /^([a-z]+):\/\//.exec(url)?.[1] ?? '';
  const signsIn = Object.values(objectOf(given.ssh)).some(value => textOf(value) !== '');
  if (scheme === 'ssh' && signsIn) return leave(thing, 'there is no kind of monitor that signs in by SSH');
  const kind = isDns ? 'dns' : kinds[scheme];
  if (kind === undefined) return leave(thing, `there is no kind of monitor for ${scheme || 'this URL'}`);
  const dns = objectOf(given.dns);
  const recordType = textOf(dns['query-type']).toUpperCase() || 'A';
  const conditions = readConditions(thing, kind, lines, recordType);
  if (scheme === 'ssh') conditions.assertions.push({ type: 'body_contains', operator: 'matches', value: '^SSH-2\\.0' });
  const key = draft.keyFor('monitors', `${group} ${thing.name}`);
  const context = { draft, thing, key, given, kind };
  const target = isDns ? dnsItem(url, dns, recordType) : targetItem(context, url, conditions.assertions);
  if (typeof target === 'string') return leave(thing, target);
  const interval = intervalFor(thing, kind, (durationMs(textOf(given.interval) || '1m') ?? 60_000) / 1000);
  const client = clientItem(context, interval);
  const days = [...new Set(conditions.certificateDays)].sort((left, right) => right - left).slice(0, 5);
  const rules = {
    ...thresholdRules(thing, alerts, interval),
    ...(days.length === 0
      ? {}
      : { certificate: { thresholds: days.map(days_left => ({ days_left, severity: 'p2' })) } }),
  };
  const item = {
    name: thing.name,
    ...target,
    interval_seconds: interval,
    ...client,
    ...(conditions.assertions.length === 0 ? {} : { assertions: conditions.assertions }),
    ...(Object.keys(rules).length === 0 ? {} : { alert_rules: rules }),
    ...stateOf(thing, group, given),
  };
  return { thing, key, group, item, alerts };
}

function stateOf(thing: Thing, group: string, given: Item): Item {
  const isEnabled = given.enabled === undefined || isTrue(given.enabled);
  return { labels: labelsFrom(thing, labelPairs(group, given)), ...(isEnabled ? {} : { enabled: false }) };
}

/** An external endpoint as a heartbeat, to which its senders have to be pointed. */
export function readExternal(draft: Draft, given: Item): Endpoint {
  const { thing, group, alerts } = begin(draft, 'external-endpoint', given);
  const key = draft.keyFor('monitors', `${group} ${thing.name}`);
  const given_interval = durationMs(textOf(objectOf(given.heartbeat).interval));
  const interval = intervalFor(thing, 'heartbeat', (given_interval ?? 86_400_000) / 1000);
  if (given_interval === null)
    thing.changed('heartbeat.interval', null, interval, 'it had none: silence is down after a day');
  thing.dropped('token', null, 'senders use the address of the heartbeat, which the monitor shows');
  const item = {
    name: thing.name,
    kind: 'heartbeat',
    interval_seconds: interval,
    ...stateOf(thing, group, given),
  };
  return { thing, key, group, item, alerts };
}

type Context = { draft: Draft; thing: Thing; key: string; given: Item; kind: string };

function begin(draft: Draft, type: string, given: Item): { thing: Thing; group: string; alerts: readonly Item[] } {
  const name = lineOf(given.name, 200, 'unnamed');
  const group = lineOf(given.group, 200, '');
  const thing = draft.thing(type, name, `${group}_${name}`);
  const alerts = objectsOf(given.alerts).filter(({ enabled }) => enabled === undefined || isTrue(enabled));
  return { thing, group, alerts };
}

function leave(thing: Thing, why: string): null {
  thing.leftOut(why);
  return null;
}

function labelPairs(group: string, given: Item): [string, string][] {
  const extra = Object.entries(objectOf(given['extra-labels'])).map(([name, value]): [string, string] => [
    name,
    textOf(value),
  ]);
  return group === '' ? extra : [['group', group], ...extra];
}

function dnsItem(url: string, dns: Item, recordType: string): Item | string {
  const { host, port } = hostAndPort(url.replace(/^[a-z]+:\/\//, ''));
  const target = dnsTarget(host, port, textOf(dns['query-name']), recordType);
  return target === null ? 'its server, name or type of record is not valid' : { url: target };
}

/** The URL of the kind, and what only it has. */
function targetItem(
  { draft, thing, key, given, kind }: Context,
  url: string,
  assertions: readonly Item[],
): Item | string {
  if (kind === 'http' || kind === 'websocket') {
    const target = httpTarget(kind === 'http' ? url : url.replace(/^ws/, 'http'));
    if (typeof target === 'string') return target;
    const auth = basicFor(draft, thing, key, target.username, target.password);
    const headers = headersFor(draft, thing, key, objectOf(given.headers));
    const sent = Object.keys(headers).length === 0 ? auth : { ...auth, headers };
    if (kind === 'http') return { url: target.url, ...sent, ...requestItem({ draft, thing, key, given, kind }) };
    const text = bodyText(thing, given);
    const read = assertions.some(({ type }) => type !== 'latency') || text !== '';
    const own = { ...(text === '' ? {} : { send: draft.sealed(['monitors', key, 'send'], text) }), read };
    return { url: target.url.replace(/^http/, 'ws'), ...sent, ...(read ? { websocket: own } : {}) };
  }
  const { host, port } = hostAndPort(url.replace(/^[a-z]+:\/\//, '').replace(/\/.*$/, ''));
  const isSsh = url.startsWith('ssh:');
  const scheme = kind === 'grpc' ? url.slice(0, url.indexOf(':')) : kind;
  if (kind !== 'ping' && port === null && !isSsh) return 'its URL has no port';
  const target = hostTarget(scheme, host, kind === 'ping' ? null : isSsh ? (port ?? 22) : port);
  if (target === null) return 'its URL is not valid';
  if (kind === 'tls') return { url: target, ...(url.startsWith('starttls') ? { tls: { starttls: 'smtp' } } : {}) };
  if (kind !== 'tcp') return { url: target };
  const text = isSsh ? '' : bodyText(thing, given);
  const read = assertions.some(({ type }) => type === 'body_contains');
  const sends = text !== '' && ![25, 465, 587, 2525].includes(port ?? 0) && Buffer.byteLength(text) <= 1024;
  if (text !== '' && !sends) thing.dropped('body', null, 'it is too long, or for the port of a mail server');
  const send = sends ? { send: draft.sealed(['monitors', key, 'send'], text) } : {};
  return { url: target, ...(sends || read ? { tcp: { ...send, read } } : {}) };
}

function requestItem({ draft, thing, key, given }: Context): Item {
  const method = methodFor(thing, textOf(given.method));
  const isGraphql = isTrue(given.graphql);
  const text = isReference(given.body) ? given.body : bodyText(thing, given);
  const body = isGraphql && typeof text === 'string' && text !== '' ? JSON.stringify({ query: text }) : text;
  const hasType = Object.keys(objectOf(given.headers)).some(name => name.toLowerCase() === 'content-type');
  const json =
    isGraphql && !hasType
      ? { headers: { 'Content-Type': 'application/json', ...headersFor(draft, thing, key, objectOf(given.headers)) } }
      : {};
  return { ...(method === 'GET' ? {} : { method }), ...json, ...bodyFor(draft, thing, key, method, body) };
}

/** The body with what Gatus fills in once for all checks. */
function bodyText(thing: Thing, given: Item): string {
  const text = textOf(given.body)
    .replaceAll('[ENDPOINT_NAME]', textOf(given.name))
    .replaceAll('[ENDPOINT_GROUP]', textOf(given.group))
    .replaceAll('[ENDPOINT_URL]', textOf(given.url));
  if (/\[LOCAL_ADDRESS\]|\[RANDOM_STRING_\d+\]/.test(text))
    thing.dropped('body', null, 'what Gatus makes anew for each check is sent as it is written');
  return text;
}

/** What `client` says. What has no equivalent here would let every check fail: such a monitor is switched off. */
function clientItem({ draft, thing, key, given, kind }: Context, interval: number): Item {
  const client = objectOf(given.client);
  const timeout = durationMs(textOf(client.timeout)) ?? defaultTimeoutMs;
  const timeout_ms = timeoutFor(thing, kind, timeout, interval);
  const family = ({ ip4: 'ipv4', ip6: 'ipv6' } as Record<string, string>)[textOf(client.network)];
  const takesEgress = kind !== 'dns' && kind !== 'ping';
  const at = kind === 'http' ? proxyAt(textOf(client['proxy-url'])) : null;
  const proxy = at === null ? null : proxyItem(draft, key, at);
  const egress = {
    ...proxy,
    ...(isTrue(client.insecure) && takesEgress ? { verify: false } : {}),
    ...(family === undefined || kind === 'dns' ? {} : { ip_family: family }),
  };
  const auth = kind === 'http' ? oauth2Item(draft, key, given) : null;
  const isCarried = (name: string) => (name === 'proxy-url' && proxy !== null) || (name === 'oauth2' && auth !== null);
  const missing = ['proxy-url', 'oauth2', 'identity-aware-proxy', 'tls', 'tunnel'].filter(
    name => client[name] !== undefined && takesEgress && !isCarried(name),
  );
  for (const name of missing)
    thing.changed(`client.${name}`, null, 'enabled: false', 'it is not carried: set it up by hand, then switch it on');
  for (const name of ['dns-resolver', 'store-cookies'])
    if (client[name] !== undefined) thing.dropped(`client.${name}`, textOf(client[name]), 'it has no equivalent here');
  return {
    timeout_ms,
    ...(kind === 'ping' && packetsFor(timeout_ms) < 3 ? { ping: { count: packetsFor(timeout_ms) } } : {}),
    ...(kind === 'http' && isTrue(client['ignore-redirect']) ? { follow_redirects: false } : {}),
    ...auth,
    ...(Object.keys(egress).length === 0 ? {} : { egress }),
    ...(missing.length === 0 ? {} : { enabled: false }),
  };
}

/** Beside a header that signs in there is no other way. */
function oauth2Item(draft: Draft, key: string, given: Item): Item | null {
  const oauth2 = objectOf(objectOf(given.client).oauth2);
  if (Object.keys(objectOf(given.headers)).some(name => name.toLowerCase() === 'authorization')) return null;
  const { 'token-url': url, 'client-id': id, 'client-secret': secret } = oauth2;
  return oauth2For(draft, key, { url, id, secret, scopes: listOf(oauth2.scopes).map(textOf) });
}
