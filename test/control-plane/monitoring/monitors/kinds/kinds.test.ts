import test from 'ava';
import { checkOf, neededOf } from '#control-plane/monitoring/monitors/kinds/rules.ts';
import { type MonitorSettings, monitorPostSchema, withKind } from '#control-plane/monitoring/monitors/monitor.ts';
import { settingsErrors } from '#control-plane/monitoring/monitors/settings.ts';

type Body = Record<string, unknown> & { url: string };

const parse = (body: Body) =>
  monitorPostSchema.safeParse({ name: 'm', interval_seconds: 60, regions: ['a', 'b', 'c'], ...body });

/** All errors of a body, as the API would report them: of the schema, else between the fields. */
function errorsOf(body: Body): string[] {
  const parsed = parse(body);
  if (!parsed.success) return parsed.error.issues.map(({ path }) => `/${path.join('/')}`);
  return settingsErrors(parsed.data).map(error => ('pointer' in error ? `${error.pointer} ${error.code}` : ''));
}

function settingsOf(body: Body): MonitorSettings {
  return withKind(monitorPostSchema.parse({ name: 'm', interval_seconds: 60, regions: ['a'], ...body }));
}

const accepted: readonly [url: string, kind: string][] = [
  ['https://example.com/', 'http'],
  ['tcp://example.com:22', 'tcp'],
  ['tcp://[2001:db8::1]:22', 'tcp'],
  ['TCP://192.0.2.1:65535', 'tcp'],
  ['tls://mail.example.com:993', 'tls'],
  ['ping://example.com', 'ping'],
  ['ping://[::1]', 'ping'],
  ['dns:///example.com', 'dns'],
  ['dns://192.0.2.53/_sip._tcp.example.com?type=SRV', 'dns'],
  ['dns://ns1.example.com:5353/example.com?type=mx', 'dns'],
  ['dns://[2001:db8::53]:53/.?type=NS', 'dns'],
  ['dns:///example.com?type=TYPE65', 'dns'],
  ['grpc://example.com:50051', 'grpc'],
  ['grpcs://[2001:db8::1]:443', 'grpc'],
  ['ws://example.com', 'websocket'],
  ['wss://[2001:db8::1]:8443/live/a%20b', 'websocket'],
  ['wss://example.com/socket.io/?EIO=4&transport=websocket', 'websocket'],
];
for (const [url, kind] of accepted)
  test(`${url} is of kind ${kind}, which it says by its scheme`, t => {
    t.deepEqual(errorsOf({ url }), []);
    t.deepEqual(errorsOf({ url, kind }), []);
    t.is(settingsOf({ url }).kind, kind as MonitorSettings['kind']);
  });

const refused = [
  'tcp://example.com',
  'tcp://:22',
  'tcp://example.com:0',
  'tcp://example.com:65536',
  'tcp://example.com:22/path',
  'tcp://example.com:22?query',
  'tcp://user@example.com:22',
  'tcp://127.1:22',
  'tcp://0x7f.1:22',
  'tcp://2130706433:22',
  'tcp://[example.com]:22',
  'tcp://[fe80::1%eth0]:22',
  'ping://[fe80::1%25eth0]',
  'dns://[fe80::1%eth0]/example.com',
  'tcp://example .com:22',
  'tls://example.com',
  'ping://example.com:80',
  'ping://example.com/',
  'ping://',
  'dns://192.0.2.53',
  'dns://:53/example.com',
  'dns:///',
  'dns:///example..com',
  'dns:///example.com?type=OPT',
  'dns:///example.com?type=TYPE41',
  'dns:///example.com?type=TYPE255',
  'dns:///example.com?type=TYPE0',
  'dns:///example.com?type=A&x=1',
  'dns:///example.com/more',
  'grpc://example.com',
  'grpcs://example.com:443/shop.Orders',
  'ws://',
  'wss://user@example.com/live',
  'wss://example.com/live#part',
  'ws://example.com:0/',
  'gopher://example.com',
  'example.com',
];
for (const url of refused) test(`${url} is refused`, t => t.deepEqual(errorsOf({ url }), ['/url']));

const conflicts: readonly [title: string, body: Body, errors: string[]][] = [
  ['a scheme of another kind', { url: 'tcp://a.example:1', kind: 'tls' }, ['/url format']],
  ['the object of another kind', { url: 'tcp://a.example:1', tls: {} }, ['/tls not_allowed']],
  ['an object with http', { url: 'https://a.example', ping: {} }, ['/ping not_allowed']],
  ['a method', { url: 'tcp://a.example:1', method: 'POST' }, ['/method not_allowed']],
  ['a body', { url: 'tcp://a.example:1', body: 'x', method: 'GET' }, ['/body not_allowed']],
  ['headers', { url: 'dns:///a.example', headers: { a: 'b' } }, ['/headers not_allowed']],
  ['no redirects', { url: 'ping://a.example', follow_redirects: false }, ['/follow_redirects not_allowed']],
  [
    'a status of a ping',
    { url: 'ping://a.example', assertions: [{ type: 'status', operator: 'eq', value: 200 }] },
    ['/assertions/0/type not_allowed'],
  ],
  [
    'a body that is not read',
    { url: 'tcp://a.example:1', assertions: [{ type: 'body_contains', value: 'x' }] },
    ['/assertions/0/type not_allowed'],
  ],
  [
    'agreement with nobody',
    { url: 'dns://1.1.1.1/a.example', assertions: [{ type: 'dns_agree' }] },
    ['/assertions/0/type not_allowed'],
  ],
  ['text to a mail server', { url: 'tcp://a.example:25', tcp: { send: 'x' } }, ['/tcp/send not_allowed']],
  ['a ping every ten seconds', { url: 'ping://a.example', interval_seconds: 10 }, ['/interval_seconds out_of_range']],
  [
    'too little time for five packets',
    { url: 'ping://a.example', timeout_ms: 4000, ping: { count: 5 } },
    ['/timeout_ms out_of_range'],
  ],
  [
    'servers without one to agree with',
    { url: 'dns:///a.example', dns: { agree_with: ['1.1.1.1'] } },
    ['/dns/agree_with/0 not_allowed'],
  ],
  [
    'a server twice, and none at all',
    { url: 'dns://8.8.8.8/a.example', dns: { agree_with: ['1.1.1.1', '1.1.1.1:53', 'a b'] } },
    ['/dns/agree_with/1 not_allowed', '/dns/agree_with/2 format'],
  ],
  [
    'headers that the handshake sets',
    { url: 'wss://a.example/', headers: { Cookie: 'a', 'sec-websocket-Protocol': 'b' } },
    ['/headers/sec-websocket-Protocol not_allowed'],
  ],
  [
    'a version of TLS without TLS, and a status',
    {
      url: 'ws://a.example/',
      assertions: [
        { type: 'tls_version', operator: 'eq', value: 'TLSv1.3' },
        { type: 'status', operator: 'eq', value: 101 },
      ],
    },
    ['/assertions/1/type not_allowed', '/assertions/0/type not_allowed'],
  ],
  [
    'metadata that the call sets, that is binary or in capitals',
    {
      url: 'grpc://a.example:1',
      grpc: {
        metadata: { 'grpc-timeout': '1S', 'x-bin': 'AA', 'X-Token': 'a', te: 'x', 'content-type': 'a', ok: 'é\n' },
      },
    },
    ['te', 'ok', 'grpc-timeout', 'x-bin', 'X-Token', 'content-type'].map(name => `/grpc/metadata/${name}`),
  ],
  [
    'headers of gRPC, TLS without TLS, and a status that is none',
    {
      url: 'grpc://a.example:1',
      headers: { a: 'b' },
      assertions: [{ type: 'tls_version', operator: 'eq', value: 'TLSv1.3' }],
    },
    ['/headers not_allowed', '/assertions/0/type not_allowed'],
  ],
  ['a long name of a service', { url: 'grpc://a.example:1', grpc: { service: 'x'.repeat(201) } }, ['/grpc/service']],
  [
    'a status of gRPC with http',
    { url: 'https://a.example', assertions: [{ type: 'grpc_status', operator: 'eq', value: 'SERVING' }] },
    ['/assertions/0/type not_allowed'],
  ],
  [
    'six subprotocols, and too many bytes to send',
    { url: 'ws://a.example/', websocket: { subprotocols: ['a', 'b', 'c', 'd', 'e', 'f'], send: 'ä'.repeat(2049) } },
    ['/websocket/subprotocols', '/websocket/send'],
  ],
  [
    'a subprotocol twice',
    { url: 'ws://a.example/', websocket: { subprotocols: ['a', 'a'] } },
    ['/websocket/subprotocols/1'],
  ],
  [
    'a subprotocol that is no token',
    { url: 'ws://a.example/', websocket: { subprotocols: ['a b'], send: '' } },
    ['/websocket/subprotocols/0', '/websocket/send'],
  ],
  [
    'a certificate in the verdict of a ping',
    { url: 'ping://a.example', alert_rules: { certificate: { in_verdict: true } } },
    ['/alert_rules/certificate not_allowed'],
  ],
];
for (const [title, body, errors] of conflicts) test(`refused: ${title}`, t => t.deepEqual(errorsOf(body), errors));

test('a kind that is still to come is refused as not available yet, any other word as no kind', t => {
  const codeOf = (kind: string) => parse({ url: 'https://a.example', kind }).error?.issues.map(issue => issue.code);
  t.deepEqual(codeOf('browser'), ['custom']);
  t.deepEqual(codeOf('smoke'), ['invalid_value']);
});

test('an object of its own takes its defaults when it is left out or null', t => {
  t.deepEqual(settingsOf({ url: 'tcp://a.example:1' }).tcp, { send: null, read: false });
  t.deepEqual(settingsOf({ url: 'ping://a.example', ping: null }).ping, { count: 3 });
  t.deepEqual(settingsOf({ url: 'tls://a.example:1', tls: { starttls: 'smtp' } }).tls, { starttls: 'smtp' });
  t.false('tcp' in settingsOf({ url: 'https://a.example' }));
});

const needs: readonly [body: Body, words: string][] = [
  [{ url: 'https://a.example' }, ''],
  [{ url: 'https://a.example', assertions: [{ type: 'status', operator: 'eq', value: 200 }] }, ''],
  [{ url: 'https://a.example', assertions: [{ type: 'latency', operator: 'lt', value_ms: 5 }] }, 'assert.2'],
  [{ url: 'https://a.example', assertions: [{ type: 'body_contains', value: 'x', on_fail: 'warn' }] }, 'assert.2'],
  [{ url: 'https://a.example', assertions: [{ type: 'body_contains', operator: 'matches', value: 'x' }] }, 'assert.2'],
  [{ url: 'tcp://a.example:1' }, 'tcp'],
  [{ url: 'dns:///a.example' }, 'dns dns.own'],
  [
    { url: 'dns://1.1.1.1/a.example', assertions: [{ type: 'dns_rcode', operator: 'eq', value: 'NXDOMAIN' }] },
    'assert.2 dns',
  ],
  [{ url: 'ping://a.example' }, 'ping'],
  [{ url: 'wss://a.example' }, 'websocket'],
  [{ url: 'grpcs://a.example:443' }, 'grpc'],
  [
    { url: 'grpc://a.example:1', assertions: [{ type: 'grpc_status', operator: 'neq', value: 'NOT_SERVING' }] },
    'assert.2 grpc',
  ],
];
for (const [body, words] of needs)
  test(`${JSON.stringify(body)} needs: ${words}`, t => t.is(neededOf(settingsOf(body)).join(' '), words));

test('agents get the URL taken apart, with hosts in ASCII and without brackets', t => {
  t.deepEqual(checkOf(settingsOf({ url: 'tcp://Bücher.example:22', tcp: { send: 'hi', read: true } })), {
    kind: 'tcp',
    host: 'xn--bcher-kva.example',
    port: 22,
    send: 'hi',
    read: true,
  });
  t.deepEqual(
    checkOf(settingsOf({ url: 'dns://[2001:db8::53]/Example.com.?type=mx', dns: { agree_with: ['1.1.1.1'] } })),
    {
      kind: 'dns',
      server: { host: '2001:db8::53', port: 53 },
      name: 'example.com',
      type: 'MX',
      transport: 'udp',
      recursion: true,
      agree_with: [{ host: '1.1.1.1', port: 53 }],
    },
  );
  t.deepEqual(
    checkOf(settingsOf({ url: 'WSS://Bücher.example/a b', websocket: { subprotocols: ['x'], send: 'hi' } })),
    {
      kind: 'websocket',
      secure: true,
      host: 'xn--bcher-kva.example',
      port: 443,
      path: '/a%20b',
      subprotocols: ['x'],
      send: 'hi',
      read: false,
    },
  );
  t.deepEqual(checkOf(settingsOf({ url: 'grpcs://a.example:443', grpc: { metadata: { a: 'b' } } })), {
    kind: 'grpc',
    secure: true,
    host: 'a.example',
    port: 443,
    service: '',
  });
  t.is(checkOf(settingsOf({ url: 'https://a.example' })), null);
});
