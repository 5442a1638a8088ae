import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import test from 'ava';
import { WebSocketServer } from 'ws';
import { isRefusedByName } from '#agent/probe/proxy/proxy.ts';
import { hiddenTexts } from '#agent/probe/redact-secrets.ts';
import type { Check } from '#shared/checks/check.ts';
import type { WireEgress } from '#shared/checks/egress.ts';
import { makeCertificate } from '../../../support/certificate.ts';
import { startGrpcServer } from '../../../support/grpc-server.ts';
import { namesResolver, probeKindOnce, probeOnce, probeTools, range, stepOf } from '../../../support/probe.ts';
import { startHttpProxy, startSocksProxy, type TestProxy } from '../../../support/proxy.ts';
import { ok, startTarget } from '../../../support/target.ts';

const certificate = makeCertificate({ name: 'inside.test' });
/** Knows the proxy alone: names of targets are the proxy's to resolve. */
const tools = probeTools({ resolver: namesResolver({ 'proxy.test': [['127.0.0.1']] }) });

type Protocol = 'http' | 'socks5';
type Login = { username?: string; password?: string };
const through = (protocol: Protocol, { port }: { port: number }, { username, password }: Login = {}): WireEgress => ({
  ca: certificate.authority,
  proxy: { protocol, host: 'proxy.test', port, username: username ?? null, password: password ?? null },
});
const start = (protocol: Protocol, leadsTo: number | null) =>
  protocol === 'http' ? startHttpProxy({ leadsTo }) : startSocksProxy({ leadsTo });

/** A server that greets whoever connects. */
async function startGreeting() {
  const server = createServer(socket => socket.on('error', () => undefined).end('220 hello\r\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

for (const protocol of ['http', 'socks5'] as const) {
  test(`HTTPS goes through a tunnel of ${protocol}, by a name that only the proxy knows`, async t => {
    await using target = await startTarget(ok('here'), certificate);
    await using proxy = await start(protocol, target.port);
    const outcome = await probeOnce({ url: 'https://inside.test/a?b', egress: through(protocol, proxy) }, tools);
    t.like(outcome, { error: null, statusCode: 200, remoteIp: null, host: 'inside.test:443' });
    t.deepEqual(proxy.asked, ['inside.test:443']);
    t.is(outcome.tls?.subject, 'CN=inside.test');
    const { dns_ms, connect_ms, proxy_ms = null, tls_ms } = outcome.timings;
    for (const ms of [dns_ms, connect_ms, proxy_ms, tls_ms]) t.true((ms ?? -1) >= 0);
    t.is(target.requests[0]?.url, '/a?b');
  });

  test(`what a server says first comes through a tunnel of ${protocol}`, async t => {
    await using target = await startGreeting();
    await using proxy = await start(protocol, target.port);
    const check = { kind: 'tcp', host: 'mail.test', port: 25, send: null, read: true } as const;
    const outcome = await probeKindOnce(check, tools, { egress: through(protocol, proxy) });
    t.like(outcome, { error: null, remoteIp: null, response: { bodyText: '220 hello\r\n' } });
    t.deepEqual(proxy.asked, ['mail.test:25']);
  });

  test(`gRPC, WebSocket and TLS go through a tunnel of ${protocol}`, async t => {
    await using grpc = await startGrpcServer(() => 1);
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(sockets, 'listening');
    await using secure = await startTarget(ok(), certificate);
    const checks: [Check, number][] = [
      [{ kind: 'grpc', secure: false, host: 'inside.test', port: 50051, service: '' }, grpc.port],
      [
        {
          kind: 'websocket',
          secure: false,
          host: 'inside.test',
          port: 80,
          path: '/',
          subprotocols: [],
          send: null,
          read: false,
        },
        (sockets.address() as AddressInfo).port,
      ],
      [{ kind: 'tls', host: 'inside.test', port: 443, starttls: null }, secure.port],
    ];
    try {
      for (const [check, port] of checks) {
        await using proxy = await start(protocol, port);
        const outcome = await probeKindOnce(check, tools, { egress: through(protocol, proxy) });
        t.is(outcome.error, null, check.kind);
        t.is(proxy.asked.length, 1);
      }
    } finally {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    }
  });

  test(`a proxy of ${protocol} that cannot be reached is what failed`, async t => {
    const closed = { port: 1 };
    const outcome = await probeOnce({ url: 'https://inside.test/', egress: through(protocol, closed) }, tools);
    t.like(outcome, {
      error: { code: 'connect_refused' },
      phase: 'connect',
      host: `proxy.test:${closed.port}`,
      remoteIp: '127.0.0.1',
    });
  });

  test(`a proxy of ${protocol} may hang or cut off`, async t => {
    const cut = await startProxyThat(protocol, socket => socket.destroy());
    const outcome = await probeOnce({ url: 'https://inside.test/', egress: through(protocol, cut) }, tools);
    t.like(outcome, { error: { code: 'connection_reset' }, phase: 'proxy', host: `proxy.test:${cut.port}` });
    const silent = await startProxyThat(protocol, () => undefined);
    const timed = { url: 'https://inside.test/', timeoutMs: 200, egress: through(protocol, silent) };
    t.like(await probeOnce(timed, tools), { error: { code: 'timeout' }, phase: 'proxy', remoteIp: '127.0.0.1' });
    await cut[Symbol.asyncDispose]();
    await silent[Symbol.asyncDispose]();
  });

  test(`no proxy of ${protocol} is asked for a refused address or for localhost`, async t => {
    await using proxy = await start(protocol, null);
    const strict = probeTools({
      resolver: namesResolver({ 'proxy.test': [['127.0.0.1']] }),
      policy: { base: 'public', allow: [range('127.0.0.1')] },
    });
    for (const host of ['10.0.0.1', '[::1]', '[::ffff:169.254.169.254]', 'localhost', 'A.LOCALHOST', 'localhost.']) {
      const outcome = await probeOnce({ url: `http://${host}/`, egress: through(protocol, proxy) }, strict);
      t.like(outcome, { error: { code: 'blocked_address' }, failureSource: 'target', phase: 'connect' }, host);
    }
    t.deepEqual(proxy.asked, []);
  });

  test(`a proxy of ${protocol} at an address that is not allowed is not connected to`, async t => {
    await using proxy = await start(protocol, null);
    const strict = probeTools({ resolver: tools.resolver, policy: { base: 'public', allow: [] } });
    const outcome = await probeOnce({ url: 'http://inside.test/', egress: through(protocol, proxy) }, strict);
    t.like(outcome, { error: { code: 'blocked_address' }, host: `proxy.test:${proxy.port}` });
    t.deepEqual(proxy.asked, []);
  });
}

function startProxyThat(protocol: Protocol, instead: (socket: Socket) => void): Promise<TestProxy> {
  return protocol === 'http' ? startHttpProxy({ leadsTo: null, instead }) : startSocksProxy({ leadsTo: null, instead });
}

test('an HTTP proxy forwards requests in clear text, and each redirect goes through it anew', async t => {
  await using target = await startTarget((request, response) => {
    if (request.url === '/first?x=1') response.writeHead(302, { Location: 'http://other.test:81/second' }).end();
    else ok('there')(request, response);
  });
  await using proxy = await startHttpProxy({ leadsTo: target.port });
  const egress = through('http', proxy, { username: 'a', password: 'swordfish' });
  const outcome = await probeOnce({ url: 'http://inside.test/first?x=1', egress }, tools);
  t.like(outcome, { error: null, statusCode: 200, remoteIp: null, host: 'other.test:81' });
  t.deepEqual(proxy.asked, ['http://inside.test/first?x=1', 'http://other.test:81/second']);
  t.is(outcome.timings.proxy_ms, undefined);
  const basic = `Basic ${Buffer.from('a:swordfish').toString('base64')}`;
  t.deepEqual(proxy.signedIn, [basic, basic]);
  t.is(target.requests[0]?.headers.host, 'inside.test');
});

test('every step goes through the proxy', async t => {
  await using target = await startTarget(ok());
  await using proxy = await startHttpProxy({ leadsTo: target.port });
  const steps = ['one', 'two'].map(name => stepOf({ name, url: `http://${name}.test/` }));
  const outcome = await probeKindOnce({ kind: 'multistep', steps }, tools, { egress: through('http', proxy) });
  t.is(outcome.error, null);
  t.deepEqual(proxy.asked, ['http://one.test/', 'http://two.test/']);
  const refused = [stepOf({ name: 'one', url: 'http://one.test/' }), stepOf({ name: 'two', url: 'http://localhost/' })];
  const blocked = await probeKindOnce({ kind: 'multistep', steps: refused }, tools, {
    egress: through('http', proxy),
  });
  t.like(blocked.error, { code: 'blocked_address' });
  t.is(proxy.asked.length, 3);
});

test('a redirect to a refused address is not asked of the proxy', async t => {
  await using target = await startTarget(
    (_, response) => void response.writeHead(302, { Location: 'http://localhost:81/' }).end(),
  );
  await using proxy = await startHttpProxy({ leadsTo: target.port });
  const outcome = await probeOnce({ url: 'http://inside.test/', egress: through('http', proxy) }, tools);
  t.like(outcome, { error: { code: 'blocked_address' }, host: 'localhost:81' });
  t.deepEqual(proxy.asked, ['http://inside.test/']);
});

for (const [title, answer, message] of [
  ['407', 'HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n', 'the proxy asks for other credentials (status 407)'],
  ['403', 'HTTP/1.1 403 swordfish\r\n\r\n', 'the proxy refused the connection (status 403)'],
  ['what is not HTTP', 'SSH-2.0-x\r\n\r\n', 'the proxy’s answer is not valid HTTP'],
  ['an endless head', `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(9000)}`, 'the head of the proxy’s answer is too large'],
])
  test(`an HTTP proxy that answers CONNECT with ${title} failed`, async t => {
    await using proxy = await startHttpProxy({ leadsTo: null, instead: socket => void socket.write(answer ?? '') });
    const outcome = await probeOnce({ url: 'https://inside.test/', egress: through('http', proxy) }, tools);
    t.like(outcome, {
      error: { code: 'proxy_failed', message },
      failureSource: 'target',
      phase: 'proxy',
      host: `proxy.test:${proxy.port}`,
      remoteIp: '127.0.0.1',
    });
  });

test('a proxy that wants to be signed in at for a request that it forwards failed', async t => {
  const instead = (socket: Socket) => void socket.end('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n');
  await using proxy = await startHttpProxy({ leadsTo: null, instead });
  const outcome = await probeOnce({ url: 'http://inside.test/', egress: through('http', proxy) }, tools);
  t.like(outcome, { error: { code: 'proxy_failed' }, statusCode: null, phase: 'proxy', remoteIp: '127.0.0.1' });
});

for (const [reply, code, phase] of [
  [1, 'proxy_failed', 'proxy'],
  [2, 'proxy_failed', 'proxy'],
  [3, 'connect_timeout', 'connect'],
  [4, 'connect_timeout', 'connect'],
  [5, 'connect_refused', 'connect'],
  [6, 'connect_timeout', 'connect'],
  [7, 'proxy_failed', 'proxy'],
  [8, 'proxy_failed', 'proxy'],
  [9, 'proxy_failed', 'proxy'],
] as const)
  test(`reply ${reply} of a SOCKS5 proxy is ${code}`, async t => {
    await using proxy = await startSocksProxy({ leadsTo: null, reply });
    const outcome = await probeOnce({ url: 'http://inside.test/', egress: through('socks5', proxy) }, tools);
    const own = code === 'proxy_failed';
    t.like(outcome, { error: { code }, phase, remoteIp: own ? '127.0.0.1' : null });
    t.is(outcome.host, own ? `proxy.test:${proxy.port}` : 'inside.test:80');
  });

test('a SOCKS5 proxy is signed in at by name and password', async t => {
  await using target = await startTarget(ok());
  await using proxy = await startSocksProxy({ leadsTo: target.port, login: 'ä:swordfish' });
  const get = (login?: Login) =>
    probeOnce({ url: 'http://127.0.0.1/', egress: through('socks5', proxy, login) }, tools);
  t.like(await get({ username: 'ä', password: 'swordfish' }), { error: null, statusCode: 200 });
  t.deepEqual([proxy.asked, proxy.signedIn], [['127.0.0.1:80'], ['ä:swordfish']]);
  for (const wrong of [{ username: 'ä', password: 'no' }, {}, { username: 'ä' }])
    t.like((await get(wrong)).error, { code: 'proxy_failed' });
});

test('a family holds for the addresses of the proxy, and the target is not resolved', async t => {
  await using proxy = await startHttpProxy({ leadsTo: null });
  const egress = { ...through('http', proxy), ip_family: 'ipv6' } as const;
  const outcome = await probeOnce({ url: 'https://inside.test/', egress }, tools);
  t.like(outcome, { error: { code: 'dns_failure' }, host: `proxy.test:${proxy.port}` });
});

test('a password at a proxy and its Basic form are blacked out', t => {
  const proxy = { protocol: 'http', host: 'a', port: 1, username: 'me', password: 'swordfish' } as const;
  t.deepEqual(hiddenTexts({ secrets: ['x'], egress: { proxy } }), [
    'x',
    'swordfish',
    Buffer.from('me:swordfish').toString('base64'),
  ]);
  t.deepEqual(hiddenTexts({ egress: { proxy: { ...proxy, password: null } } }), []);
});

for (const [host, refused] of [
  ['example.com', false],
  ['notlocalhost', false],
  ['localhost.example', false],
  ['LocalHost..', true],
  ['x.localhost.', true],
  ['93.184.216.34', false],
  ['127.0.0.1', true],
  ['127.0.0.1.', true],
  ['::ffff:10.0.0.1', true],
  ['fe80::1%eth0', true],
] as const)
  test(`${host} is ${refused ? 'refused' : 'left to the proxy'} by its name`, t =>
    t.is(isRefusedByName(host, { base: 'public', allow: [] }), refused));
