import { proxyAt, proxyItem } from '../draft/proxies.ts';
import { bodyFor, headersFor, methodFor } from '../draft/request.ts';
import { httpTarget } from '../draft/target.ts';
import type { Thing } from '../draft/thing.ts';
import { isTrue, listOf, numberOf, objectOf, objectsOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';
import { authOf, familyOf, switchOff, tlsOf } from './clients.ts';
import { bodyMatches, type Probed } from './probed.ts';

const patternMax = 1024;

/** A request as a module makes it of a target. */
export function httpItem({ draft, thing, key, module, target }: Probed): Item | string {
  const http = objectOf(module.http);
  // The exporter takes a target without a scheme for one of http.
  const found = httpTarget(/^https?:\/\//i.test(target) ? target : `http://${target}`);
  if (typeof found === 'string') return found;
  const method = methodFor(thing, textOf(http.method));
  const headers = headersFor(draft, thing, key, {
    ...objectOf(http.headers),
    ...valuesOf(thing, objectOf(http.http_headers)),
  });
  const signing = authOf({ draft, thing, key }, http, found, Object.keys(headers));
  const secured = tlsOf(thing, objectOf(http.tls_config));
  const assertions = assertionsOf(thing, http, method);
  const isRedirecting = http.follow_redirects !== false && !isTrue(http.no_follow_redirects);
  const at = proxyAt(textOf(http.proxy_url));
  const proxy = at === null ? null : proxyItem(draft, key, at);
  const egress = { ...familyOf(http), ...secured.egress, ...proxy };
  const off = [
    ['body_file', textOf(http.body_file) !== ''],
    ['proxy_url', http.proxy_url !== undefined && proxy === null],
    [
      'http_headers.files',
      objectsOf(Object.values(objectOf(http.http_headers))).some(({ files }) => files !== undefined),
    ],
  ] as const;
  const switchedOff = off.filter(([, isThere]) => isThere).map(([field]) => switchOff(thing, field));
  return {
    url: found.url,
    ...(method === 'GET' ? {} : { method }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...bodyFor(draft, thing, key, method, http.body),
    ...(assertions.length === 0 ? {} : { assertions }),
    ...(isRedirecting ? {} : { follow_redirects: false }),
    ...(Object.keys(egress).length === 0 ? {} : { egress }),
    ...secured.off,
    ...signing,
    ...Object.assign({}, ...switchedOff),
  };
}

/** Of `http_headers` the last value of each. */
function valuesOf(thing: Thing, given: Item): Item {
  const pairs = Object.entries(given).flatMap(([name, spec]): [string, string][] => {
    const { values, secrets } = objectOf(spec);
    const value = [...listOf(values), ...listOf(secrets)].map(textOf).at(-1);
    return value === undefined ? [] : [[name, value]];
  });
  if (pairs.length < Object.keys(given).length) thing.dropped('http_headers', null, 'a value from a file is not known');
  return Object.fromEntries(pairs);
}

function assertionsOf(thing: Thing, http: Item, method: string): Item[] {
  const codes = listOf(http.valid_status_codes)
    .map(numberOf)
    .filter(code => code !== null && Number.isInteger(code) && code >= 100 && code <= 599);
  const assertions: Item[] = codes.length === 0 ? [] : [{ type: 'status', operator: 'in', value: codes.slice(0, 100) }];
  const push = (field: string, pattern: string, make: (pattern: string) => Item) => {
    if (pattern.length === 0 || pattern.length > patternMax)
      thing.dropped(field, pattern.slice(0, 200), 'it is empty or too long');
    else if (assertions.length >= 50) thing.dropped(field, pattern, 'a monitor has at most 50 assertions');
    else assertions.push(make(pattern));
  };
  for (const [field, operator] of [
    ['fail_if_body_matches_regexp', 'not_matches'],
    ['fail_if_body_not_matches_regexp', 'matches'],
  ] as const)
    for (const pattern of listOf(http[field]).map(textOf)) {
      if (method === 'HEAD') thing.dropped(field, pattern, 'an answer to HEAD has no body');
      else push(field, pattern, value => bodyMatches(value, operator));
    }
  for (const [field, operator] of [
    ['fail_if_header_matches', 'not_matches'],
    ['fail_if_header_not_matches', 'matches'],
  ] as const)
    for (const { header, regexp, allow_missing: allowed } of objectsOf(http[field])) {
      const name = textOf(header);
      if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/.test(name)) {
        thing.dropped(field, name, 'this is no name of a header');
        continue;
      }
      if (operator === 'matches' && isTrue(allowed)) {
        thing.dropped(field, name, 'a header that may be missing but must match has no equivalent here');
        continue;
      }
      push(field, textOf(regexp), value => ({ type: 'header', name, operator, value }));
      if (operator === 'not_matches' && !isTrue(allowed))
        push(field, name, () => ({ type: 'header', name, operator: 'exists' }));
    }
  const unlike = [
    'valid_http_versions',
    'fail_if_ssl',
    'fail_if_not_ssl',
    'fail_if_body_json_matches_cel',
    'fail_if_body_json_not_matches_cel',
    'compression',
    'body_size_limit',
    'enable_http3',
    'skip_resolve_phase_with_proxy',
    'proxy_connect_header',
  ];
  for (const field of unlike)
    if (http[field] !== undefined && http[field] !== false && textOf(http[field]) !== '0')
      thing.dropped(field, textOf(http[field]) || null, 'it has no equivalent here');
  return assertions;
}
