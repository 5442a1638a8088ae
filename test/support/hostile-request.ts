import fc from 'fast-check';
import type { Endpoint } from '#control-plane/platform/http/endpoint/endpoint.ts';
import { hostileBody, hostileText } from './hostile-body.ts';
import { writeRequest } from './raw-connection.ts';

/** A malformed request. `partial`: the server may wait for more of it, or close without a response. */
export type HostileRequest = { method: string; bytes: Uint8Array; partial: boolean };

const verbs = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const verb = fc.constantFrom(...verbs);
const latin = (min: number, max: number, size: number) =>
  fc
    .array(fc.integer({ min, max }), { maxLength: size })
    .map(codes => codes.map(code => String.fromCharCode(code)).join(''));
const visible = latin(0x21, 0xff, 40);
const headerValue = fc.oneof(
  visible,
  latin(0x20, 0xff, 300).map(text => text.trim()),
);

/** Paths that are served without a token; the first four take bodies. */
const publicPaths = [
  '/status/{slug}/subscribe',
  '/status/{slug}/confirm',
  '/status/{slug}/unsubscribe',
  '/dashboard/session',
  '/status/{slug}',
  '/status/{slug}/history/{page}',
  '/status/{slug}/incidents/{id}',
  '/status/{slug}/feed.rss',
  '/dashboard/{asset}',
  '/problems/{code}',
];

/** Requests to these endpoints, and to none, with a token of every scope. */
export function hostileRequest(endpoints: readonly Endpoint[], token: string): fc.Arbitrary<HostileRequest> {
  const authorized = { authorization: `Bearer ${token}` };
  const path = hostilePath(endpoints);
  const withBodies = endpoints.filter(endpoint => endpoint.body !== null || endpoint.method === 'post');
  const writable = withBodies.length > 0 ? withBodies : endpoints;
  const whole = (
    method: string,
    target: string,
    headers: Record<string, string>,
    body: string | Uint8Array | null,
  ) => ({
    method,
    bytes: writeRequest(method, target, { ...authorized, ...headers }, body),
    partial: false,
  });
  const bodies = fc
    .record({ endpoint: fc.constantFrom(...writable), body: hostileBody, id: hostileSegment, real: fc.boolean() })
    .map(({ endpoint, body, id, real }) => {
      const target = endpoint.path.replaceAll(/\{\w+\}/g, real ? `mon_${'0'.repeat(26)}` : id);
      return whole(endpoint.method.toUpperCase(), target, {}, body);
    });
  const forms = fc
    .record({
      path: fc.constantFrom(...publicPaths.slice(0, 4)),
      id: hostileSegment,
      query: hostileQuery,
      type: fc.constantFrom(
        'application/json',
        'application/x-www-form-urlencoded',
        'text/plain',
        'multipart/form-data',
      ),
      body: hostileBody,
    })
    .map(({ path, id, query, type, body }) =>
      whole('POST', `${path.replaceAll(/\{\w+\}/g, id)}?${query}`, { 'content-type': type }, body),
    );
  const queries = fc
    .record({ endpoint: fc.constantFrom(...endpoints), query: hostileQuery, id: hostileSegment })
    .map(({ endpoint, query, id }) => whole('GET', `${endpoint.path.replaceAll(/\{\w+\}/g, id)}?${query}`, {}, null));
  const paths = fc.record({ method: verb, path }).map(({ method, path }) => whole(method, path, {}, null));
  const headers = fc
    .record({
      method: fc.constantFrom('GET', 'POST', 'PATCH'),
      endpoint: fc.constantFrom(...endpoints),
      headers: hostileHeaders,
      body: fc.oneof(hostileBody, fc.constant(null)),
    })
    .map(({ method, endpoint, headers, body }) => ({ ...whole(method, endpoint.path, headers, body), partial: true }));
  return fc.oneof(
    { weight: 4, arbitrary: bodies },
    { weight: 1, arbitrary: forms },
    { weight: 2, arbitrary: queries },
    { weight: 2, arbitrary: paths },
    { weight: 1, arbitrary: headers },
    { weight: 1, arbitrary: brokenRequest },
  );
}

const hostileSegment = fc.oneof(
  fc.constantFrom(
    ...[
      '%00',
      '%FF',
      '%ED%A0%80',
      '%C0%AF',
      '..',
      '%2e%2e%2f',
      '%',
      '%zz',
      "'",
      '"',
      ';',
      '~',
      '*',
      '{id}',
      '%0d%0a',
      '%E2%80%AE',
    ],
    ...[
      '__proto__',
      'constructor',
      'mon_',
      `mon_${'z'.repeat(26)}`,
      'a'.repeat(5000),
      `%F0%9F%92%A9`.repeat(40),
      '-1',
      '0',
      'null',
    ],
  ),
  visible.filter(text => text !== ''),
  fc
    .uint8Array({ minLength: 1, maxLength: 20 })
    .map(bytes => [...bytes].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')),
);

function hostilePath(endpoints: readonly Endpoint[]): fc.Arbitrary<string> {
  const known = fc
    .record({
      path: fc.constantFrom(...endpoints.map(endpoint => endpoint.path), ...publicPaths),
      id: hostileSegment,
      rest: fc.constantFrom('', '', '/', '//', '/..', '?', '#', '%20'),
    })
    .map(({ path, id, rest }) => path.replaceAll(/\{\w+\}/g, id) + rest);
  const free = fc.array(hostileSegment, { maxLength: 6 }).map(segments => `/${segments.join('/')}`);
  const odd = fc.constantFrom(
    '*',
    '//',
    '///etc/passwd',
    'http://[/',
    'http://a:b/',
    'http://localhost/healthz',
    'https://@/',
    'healthz',
    'x:',
    '/\\',
    '/?',
    '/?#?',
  );
  return fc.oneof(known, free, odd);
}

const hostileQuery = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom(
          'limit',
          'cursor',
          'from',
          'to',
          'state',
          'severity',
          'enabled',
          'region',
          'status',
          'granularity',
          'monitor_id',
          'types',
          'group_by',
          'property',
          'release_id',
          'version',
          'source',
          'project_id',
          '__proto__',
          '%00',
          '%EF%BF%BD',
          '',
        ),
        hostileSegment,
      ),
      fc.oneof(
        hostileSegment,
        fc.constantFrom(
          '',
          '0',
          '-1',
          '1e9',
          '9'.repeat(400),
          'true',
          'open,open',
          ',',
          '2026-01-01T00:00:00Z',
          '9999-12-31T23:59:60-23:59',
          '0000-00-00T00:00:00Z',
          '1970-01-01T00:00:00%2B23:59',
          '2026-02-30',
          '2026-01-01',
          'WzFd',
          'WzEsIiIsMSwiIl0',
        ),
        hostileText.map(encodeURIComponentSafely),
      ),
    ),
    { maxLength: 5 },
  )
  .map(pairs => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

const hostileHeaders = fc
  .array(
    fc.oneof(
      fc.tuple(
        fc.constantFrom(
          'content-type',
          'content-encoding',
          'accept',
          'accept-encoding',
          'idempotency-key',
          'x-request-id',
          'x-forwarded-for',
          'host',
          'authorization',
          'cookie',
          'range',
          'if-match',
          'origin',
          'forwarded',
          'date',
        ),
        headerValue,
      ),
      fc.constantFrom<[string, string]>(
        ['content-type', 'application/json; charset=utf-16'],
        ['content-type', 'application/json, text/plain'],
        ['content-type', 'multipart/form-data; boundary='],
        ['content-encoding', 'gzip'],
        ['content-encoding', 'br'],
        ['content-encoding', 'deflate'],
        ['content-type', 'text/plain'],
        ['accept', 'image/svg+xml'],
        ['content-encoding', 'identity, br'],
        ['content-length', '-1'],
        ['content-length', '1e3'],
        ['content-length', '99999999999999999999'],
        ['content-length', '1048577'],
        ['transfer-encoding', 'chunked'],
        ['transfer-encoding', 'gzip, chunked'],
        ['transfer-encoding', 'xchunked'],
        ['expect', '100-continue'],
        ['expect', 'a-miracle'],
        ['connection', 'upgrade'],
        ['upgrade', 'h2c'],
        ['upgrade', 'websocket'],
        ['idempotency-key', '"00000000-0000-4000-8000-000000000000"'],
        ['authorization', 'Bearer '],
        ['authorization', `Bearer upq_${'0'.repeat(38)}`],
        ['host', ''],
        ['host', 'a b'],
        ['x-long', 'a'.repeat(20_000)],
      ),
      fc.tuple(fc.stringMatching(/^[a-z-]{1,20}$/), headerValue),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map(pairs => Object.fromEntries(pairs));

/** Not HTTP, or not quite. */
const brokenRequest: fc.Arbitrary<HostileRequest> = fc
  .oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .constantFrom(
        ...[
          '\r\n',
          '\r\n\r\n',
          'GET',
          'GET /\r\n\r\n',
          'GET / HTTP/9.9\r\n\r\n',
          'GET / HTTP/1.1\r\n\r\n',
          'GET  /  HTTP/1.1\r\n\r\n',
        ],
        ...[
          'get / HTTP/1.1\r\nhost: a\r\n\r\n',
          'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n',
          'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        ],
        ...[
          'GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
          'GET /healthz HTTP/1.1\nhost: a\n\n',
          'GET /healthz HTTP/1.1\r\n host: a\r\n\r\n',
        ],
        ...[
          'GET /healthz HTTP/1.1\r\nhost: a\r\nx\r\n\r\n',
          'GET /healthz HTTP/1.1\r\nhost: a\r\n: x\r\n\r\n',
          'GET /healthz HTTP/1.1\r\nhost: a\r\nx: \0\r\n\r\n',
        ],
        ...[
          'POST /v0/tokens HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n',
          'POST /v0/tokens HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab',
        ],
        ...[
          'POST /v0/tokens HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
          'POST /v0/tokens HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcdef',
        ],
        ...[
          `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
          `GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(3000)}\r\n`,
          'GET /healthz HTTP/1.0\r\n\r\n',
          '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
        ],
      )
      .map(text => Buffer.from(text, 'latin1')),
    fc
      .record({
        method: verb,
        path: fc.constantFrom('/healthz', '/v0/monitors'),
        at: fc.nat({ max: 80 }),
        noise: fc.uint8Array({ minLength: 1, maxLength: 4 }),
      })
      .map(({ method, path, at, noise }) => {
        const bytes = writeRequest(method, path, { accept: '*/*' }, method === 'POST' ? '{}' : null);
        return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]);
      }),
  )
  .map(bytes => ({
    method: /^\s*HEAD /.test(Buffer.from(bytes).toString('latin1')) ? 'HEAD' : 'GET',
    bytes,
    partial: true,
  }));

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
