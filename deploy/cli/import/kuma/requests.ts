import { alike, equalsAny } from '../draft/json-values.ts';
import { proxyItem } from '../draft/proxies.ts';
import { basicFor, bearerFor, bodyFor, headersFor, methodFor, oauth2For } from '../draft/request.ts';
import { httpTarget } from '../draft/target.ts';
import type { Thing } from '../draft/thing.ts';
import { isTrue, jsonOf, listOf, numberOf, objectOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';
import type { Context } from './context.ts';
import type { KumaSource } from './source.ts';

const contentTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'text/xml; charset=utf-8',
};

/** What a monitor of HTTP sends and expects; a text says why it has no equivalent. */
export function requestItem(context: Context, source: KumaSource): Item | string {
  const { draft, thing, key, row } = context;
  const target = httpTarget(textOf(row.url));
  if (typeof target === 'string') return target;
  const answer = answerOf(thing, row);
  if (typeof answer === 'string') return answer;
  const given = headersOf(jsonOf(row.headers));
  const method = methodFor(thing, textOf(row.method));
  const body = bodyFor(draft, thing, key, method, textOf(row.body).trim() === '' ? null : row.body);
  const hasType = Object.keys(given).some(name => name.toLowerCase() === 'content-type');
  const type = contentTypes[textOf(row.http_body_encoding) || 'json'];
  const typed = Object.keys(body).length > 0 && !hasType && type !== undefined ? { 'Content-Type': type } : {};
  const sent = headersFor(draft, thing, key, { ...typed, ...given });
  const signsIn = Object.keys(sent).some(name => name.toLowerCase() === 'authorization');
  const login = signsIn ? {} : authItem(context, target.username, target.password);
  const assertions = [...statusAssertions(thing, row), ...answer];
  const through = proxyOf(context, source);
  const egress = { ...objectOf(login.egress), ...objectOf(through.egress) };
  if (isTrue(row.cache_bust)) thing.dropped('cache_bust', true, 'requests have no changing parameter');
  return {
    url: target.url,
    ...(method === 'GET' ? {} : { method }),
    ...(Object.keys(sent).length === 0 ? {} : { headers: sent }),
    ...body,
    ...login,
    ...(assertions.length === 0 ? {} : { assertions }),
    ...(numberOf(row.maxredirects) === 0 ? { follow_redirects: false } : {}),
    ...through,
    ...(Object.keys(egress).length === 0 ? {} : { egress }),
  };
}

/** How it signs in. What is not available leaves the monitor switched off. */
export function authItem({ draft, thing, key, row }: Context, username = '', password = ''): Item {
  const method = textOf(row.auth_method);
  switch (method) {
    case 'basic':
      return basicFor(draft, thing, key, textOf(row.basic_auth_user), textOf(row.basic_auth_pass));
    case 'bearer':
      return bearerFor(draft, thing, key, textOf(row.bearer_token));
    case 'mtls': {
      const [certificate, private_key, ca] = [textOf(row.tls_cert), textOf(row.tls_key), textOf(row.tls_ca)];
      const seal = (name: string, value: string) => draft.sealed(['monitors', key, name], value);
      const pair = { certificate: seal('certificate', certificate), private_key: seal('private_key', private_key) };
      return {
        egress: {
          ...(certificate === '' || private_key === '' ? {} : { client_certificate: pair }),
          ...(ca === '' ? {} : { ca: seal('ca', ca) }),
        },
      };
    }
    case 'oauth2-cc': {
      const scopes = textOf(row.oauth_scopes)
        .split(/\s+/)
        .filter(scope => scope !== '');
      const client = { url: row.oauth_token_url, id: row.oauth_client_id, secret: row.oauth_client_secret, scopes };
      const isInBody = row.oauth_auth_method === 'client_secret_post';
      const made = oauth2For(draft, key, { ...client, audience: textOf(row.oauth_audience), isInBody });
      return made ?? switchedOff(thing, method);
    }
    case 'ntlm':
      return switchedOff(thing, method);
    default:
      return basicFor(draft, thing, key, username, password);
  }
}

function switchedOff(thing: Thing, method: string): Item {
  thing.changed('auth_method', method, 'enabled: false', 'it is not carried: set it up by hand, then switch it on');
  return { enabled: false };
}

/** The proxy that the checks go through. One that they cannot use leaves the monitor switched off. */
function proxyOf({ draft, thing, key, row }: Context, source: KumaSource): Item {
  const id = numberOf(row.proxy_id);
  const proxy = source.rows('proxy').find(other => numberOf(other.id) === id);
  if (id === null || proxy === undefined || !isTrue(proxy.active ?? 1)) return {};
  const [username, password] = isTrue(proxy.auth) ? [textOf(proxy.username), textOf(proxy.password)] : ['', ''];
  const endpoint = { protocol: textOf(proxy.protocol), host: textOf(proxy.host), port: numberOf(proxy.port) };
  const item = proxyItem(draft, key, { ...endpoint, username, password });
  if (item !== null) return { egress: item };
  thing.changed('proxy_id', id, 'enabled: false', 'checks cannot use it: set another one up, then switch it on');
  return { enabled: false };
}

function headersOf(given: unknown): Item {
  return Object.fromEntries(Object.entries(objectOf(given)).map(([name, value]) => [name, textOf(value)]));
}

/** Kuma's usual codes are those that checks expect by themselves. */
function statusAssertions(thing: Thing, row: Item): Item[] {
  const codes = listOf(jsonOf(row.accepted_statuscodes_json)).map(textOf);
  if (codes.length === 0 || (codes.length === 1 && codes[0] === '200-299')) return [];
  const value = codes.flatMap((code): (string | number)[] => {
    const [, first, last = first] = /^\s*([1-5]\d\d)\s*(?:-\s*([1-5]\d\d)\s*)?$/.exec(code) ?? [];
    if (first !== undefined && last !== undefined && Number(first) <= Number(last))
      return [first === last ? Number(first) : `${first}-${last}`];
    thing.dropped('accepted_statuscodes', code.slice(0, 50), 'it is no status code or range of them');
    return [];
  });
  return value.length === 0 ? [] : [{ type: 'status', operator: 'in', value: value.slice(0, 100) }];
}

/** What the body must have; a text says why it has no equivalent. */
function answerOf(thing: Thing, row: Item): Item[] | string {
  const type = textOf(row.type);
  if (textOf(row.method).toUpperCase() === 'HEAD' && type !== 'http') return 'an answer to HEAD has no body to look at';
  if (type === 'keyword') {
    const value = textOf(row.keyword);
    if (value === '') return 'it has no keyword';
    return [{ type: 'body_contains', operator: isTrue(row.invert_keyword) ? 'not_contains' : 'contains', value }];
  }
  if (type !== 'json-query') return [];
  const path = pathOf(textOf(row.json_path));
  if (path === null) return `the JSONata expression ${textOf(row.json_path).slice(0, 100)} is no plain path`;
  const [operator, expected] = [textOf(row.json_path_operator) || '==', textOf(row.expected_value)];
  const ordered = ({ '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as Record<string, string>)[operator];
  if (ordered !== undefined && numberOf(expected) !== null)
    return [{ type: 'json_path', path, operator: ordered, value: numberOf(expected) }];
  if (operator === 'contains') return [{ type: 'json_path', path, operator: 'contains', value: expected }];
  if (operator !== '==' && operator !== '!=') return `values are not compared by ${operator} here`;
  if (expected === '') thing.changed('expected_value', '', '', 'an empty text is compared as it is');
  return [{ type: 'json_path', path, ...equalsAny(alike(expected), operator === '!=') }];
}

/** `$.a.b[0]` from a plain path of JSONata such as `a.b[0]`; null if it is none. */
function pathOf(text: string): string | null {
  const path = text.trim().replace(/^\$\.?(?=[A-Za-z_[]|$)/, '');
  if (path === '') return '$';
  if (path.length > 500 || !/^(?:[A-Za-z_]\w*|\[\d+\])(?:\.[A-Za-z_]\w*|\[\d+\])*$/.test(path)) return null;
  return path.startsWith('[') ? `$${path}` : `$.${path}`;
}
