import { headersFor } from '../draft/request.ts';
import { dnsTarget, hostAndPort, hostTarget, httpTarget } from '../draft/target.ts';
import type { Thing } from '../draft/thing.ts';
import { isTrue, jsonOf, listOf, numberOf, objectOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';
import type { Context } from './context.ts';
import { authItem } from './requests.ts';

/** What a server of mail says first. */
const greeting = { tcp: { read: true }, assertions: [{ type: 'body_contains', operator: 'matches', value: '^220' }] };

/** The URL of a monitor that is not of HTTP, and what only its kind has; a text says why it has no equivalent. */
export function targetItem(context: Context, kind: string): Item | string {
  const { thing, row } = context;
  const host = textOf(row.hostname);
  switch (kind) {
    case 'tcp':
    case 'tls': {
      const isMail = row.type === 'smtp';
      const port = numberOf(row.port) ?? (isMail ? 25 : null);
      const url = hostTarget(kind, host, port);
      if (url === null || port === null) return 'its host or port is not valid';
      if (kind === 'tls') return { url, ...(row.smtp_security === 'starttls' ? { tls: { starttls: 'smtp' } } : {}) };
      return { url, ...(isMail ? greeting : {}) };
    }
    case 'ping': {
      const size = numberOf(row.packet_size) ?? 56;
      if (size !== 56) thing.dropped('packet_size', size, 'packets have the usual size');
      const url = hostTarget('ping', host, null);
      return url === null ? 'its host is not valid' : { url };
    }
    case 'dns':
      return dnsItem(thing, row);
    case 'grpc':
      return grpcItem(context);
    case 'websocket':
      return websocketItem(context);
    default:
      return {};
  }
}

function dnsItem(thing: Thing, row: Item): Item | string {
  const servers = textOf(row.dns_resolve_server)
    .split(',')
    .map(server => server.trim())
    .filter(server => server !== '');
  const type = textOf(row.dns_resolve_type) || 'A';
  const url = dnsTarget(servers[0] ?? '', numberOf(row.port) ?? 53, textOf(row.hostname), type);
  if (url === null) return 'its name, server or type of record is not valid';
  if (servers.length > 1) thing.dropped('dns_resolve_server', servers.slice(1).join(', '), 'one server is asked');
  const assertions = recordAssertions(thing, jsonOf(row.conditions), type);
  return { url, ...(assertions.length === 0 ? {} : { assertions }) };
}

const conditionOperators: Readonly<Record<string, (text: string) => { operator: string; value: string }>> = {
  equals: value => ({ operator: 'eq', value }),
  not_equals: value => ({ operator: 'neq', value }),
  contains: value => ({ operator: 'contains', value }),
  not_contains: value => ({ operator: 'not_contains', value }),
  starts_with: value => ({ operator: 'matches', value: `^${escaped(value)}` }),
  not_starts_with: value => ({ operator: 'not_matches', value: `^${escaped(value)}` }),
  ends_with: value => ({ operator: 'matches', value: `${escaped(value)}$` }),
  not_ends_with: value => ({ operator: 'not_matches', value: `${escaped(value)}$` }),
};

/** Conditions of 2.x on a record, all of which must hold; other combinations have no equivalent. */
function recordAssertions(thing: Thing, conditions: unknown, type: string): Item[] {
  return listOf(conditions).flatMap((given, index): Item[] => {
    const { type: sort, variable, operator, value, andOr } = objectOf(given);
    const make = conditionOperators[textOf(operator)];
    const text = textOf(value).toLowerCase().replace(/\.$/, '');
    const isOne = sort === 'expression' && variable === 'record' && text !== '' && text.length <= 500;
    const isPlain = !['MX', 'SRV', 'CAA', 'SOA'].includes(type) || textOf(operator).includes('contains');
    if (make !== undefined && isOne && isPlain && (index === 0 || andOr !== 'or'))
      return [{ type: 'dns_record', ...make(text) }];
    thing.dropped('conditions', JSON.stringify(given)?.slice(0, 300) ?? null, 'it has no equivalent here');
    return [];
  });
}

/** The health service is what checks call; a keyword of another method has no equivalent. */
function grpcItem({ draft, thing, key, row }: Context): Item | string {
  const [service, method, keyword] = [textOf(row.grpc_service_name), textOf(row.grpc_method), textOf(row.keyword)];
  const isHealth = /(?:^|\.)Health$/.test(service) && /^check$/i.test(method);
  const isServing = isHealth && /^(?:SERVING|1)$/.test(keyword) && !isTrue(row.invert_keyword);
  if (keyword !== '' && !isServing) return 'answers of gRPC are not searched for a keyword';
  const { host, port } = hostAndPort(textOf(row.grpc_url).replace(/^[a-z]+:\/\//i, ''));
  const url = hostTarget(isTrue(row.grpc_enable_tls) ? 'grpcs' : 'grpc', host, port);
  if (url === null || port === null) return 'its URL has no valid host and port';
  if (!isHealth)
    thing.changed('grpc_method', `${service}.${method}`, 'grpc.health.v1.Health/Check', 'only health is asked');
  const asked = isHealth ? textOf(objectOf(jsonOf(row.grpc_body)).service).slice(0, 100) : '';
  const given = Object.entries(objectOf(jsonOf(row.grpc_metadata))).map(([name, value]) => [
    name.toLowerCase(),
    textOf(value),
  ]);
  const own = given.filter(
    ([name]) => !/^grpc-|-bin$|^(?:host|content-type|content-encoding|accept-encoding)$/.test(name ?? ''),
  );
  const metadata = headersFor(draft, thing, key, Object.fromEntries(own));
  const grpc = { ...(asked === '' ? {} : { service: asked }), ...(own.length === 0 ? {} : { metadata }) };
  return { url, ...(Object.keys(grpc).length === 0 ? {} : { grpc }) };
}

function websocketItem(context: Context): Item | string {
  const { thing, row } = context;
  const given = textOf(row.url).trim();
  if (!/^wss?:\/\//i.test(given)) return 'its URL does not begin with ws:// or wss://';
  const target = httpTarget(given.replace(/^ws/i, 'http'));
  if (typeof target === 'string') return target;
  const names = textOf(row.ws_subprotocol)
    .split(',')
    .map(name => name.trim())
    .filter(name => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/.test(name));
  const subprotocols = [...new Set(names)].slice(0, 5);
  if (isTrue(row.ws_ignore_sec_websocket_accept_header))
    thing.dropped('ws_ignore_sec_websocket_accept_header', true, 'the header must be right');
  return {
    url: target.url.replace(/^http/, 'ws'),
    ...authItem(context, target.username, target.password),
    ...(subprotocols.length === 0 ? {} : { websocket: { subprotocols } }),
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
