import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Assertion } from '#shared/assertions/assertion.ts';
import type { WebsocketCheck } from '#shared/checks/check.ts';
import { makeCertificate } from '../../../../support/certificate.ts';
import { withTime } from '../../../../support/patience.ts';
import { namesResolver, probeKindOnce, probeTools } from '../../../../support/probe.ts';
import { startRawTarget } from '../../../../support/target.ts';
import { startWebsocketServer } from '../../../../support/websocket-server.ts';

const checkAt = (port: number, changes: Partial<WebsocketCheck> = {}): WebsocketCheck => ({
  kind: 'websocket',
  secure: false,
  host: '127.0.0.1',
  port,
  path: '/live',
  subprotocols: [],
  send: null,
  read: false,
  ...changes,
});

type Talk = Parameters<typeof startWebsocketServer>[0];
type Options = Parameters<typeof probeKindOnce>[2] & { server?: Parameters<typeof startWebsocketServer>[1] };

/** One attempt against a server that does this with each connection. */
async function probe(talk: Talk, changes: Partial<WebsocketCheck> = {}, { server, ...options }: Options = {}) {
  await using target = await startWebsocketServer(talk, server);
  return await probeKindOnce(checkAt(target.port, changes), probeTools(), options);
}

/** One attempt against a server that answers the handshake with these bytes. */
async function probeRaw(answer: (socket: Socket) => void, options: Options = {}) {
  await using target = await startRawTarget(socket => void socket.once('data', () => answer(socket)));
  return await probeKindOnce(checkAt(target.port, { read: true }), probeTools(), options);
}

const body = (operator: 'contains' | 'not_contains', value: string): Assertion => ({
  type: 'body_contains',
  operator,
  value,
  case_insensitive: false,
});

test('a handshake is enough without `read`, with its headers, and the server gets a goodbye', async t => {
  const closed = Promise.withResolvers<number>();
  const seen: unknown[] = [];
  await using target = await startWebsocketServer(
    (websocket, { url, headers }) => {
      seen.push(url, headers.host, headers['x-token'], headers['sec-websocket-extensions']);
      websocket.on('close', code => closed.resolve(code));
    },
    { headers: ['X-Build: grün'] },
  );
  const headers = { 'X-Token': 'secret' };
  const outcome = await probeKindOnce(checkAt(target.port), probeTools(), { headers });
  t.like(outcome, { error: null, statusCode: 101, bytes: 0, remoteIp: '127.0.0.1', phase: 'handshake' });
  t.deepEqual(outcome.facts, { websocket: { subprotocol: null, messages: 0 } });
  t.is(outcome.response?.statusCode, null, 'no status is asserted');
  t.truthy(outcome.response?.headers.get('x-build'));
  t.deepEqual(seen, ['/live', `127.0.0.1:${target.port}`, 'secret', undefined]);
  t.is(await closed.promise, 1000);
  t.true((outcome.timings.first_byte_ms ?? -1) >= 0);
});

test('what is sent comes back, and with `read` the message is what the latency is to', async t => {
  const outcome = await probe(
    websocket => websocket.on('message', data => setTimeout(() => websocket.send(`echo ${data}`), 60)),
    { send: 'grüß', read: true },
  );
  t.like(outcome, { error: null, bytes: 11, facts: { websocket: { messages: 1 } } });
  t.is(outcome.response?.bodyText, 'echo grüß');
  t.true(outcome.latencyMs >= 50);
  const startedMs = performance.now();
  const quick = await probe(
    websocket => websocket.on('message', data => setTimeout(() => websocket.send(`echo ${data}`), 400)),
    { send: 'x' },
    { assertions: [body('contains', 'echo')] },
  );
  t.like(quick, { error: null, response: { bodyText: 'echo x' } });
  t.true(performance.now() - startedMs - quick.latencyMs >= 390, 'without `read` it is to the handshake');
});

test('messages are read until one satisfies all assertions about them, binary ones as UTF-8', async t => {
  const json: Assertion = { type: 'json_path', path: '$.price', operator: 'gt', value: 5 };
  const outcome = await probe(
    websocket => {
      for (const text of ['hello', '{"price": 4, "of": "b"}', '{"price": 6}']) websocket.send(text);
      websocket.send(Buffer.from('{"price": 7, "of": "b"}'));
      websocket.send('later');
    },
    {},
    { assertions: [json, body('contains', '"b"')] },
  );
  t.is(outcome.response?.bodyText, '{"price": 7, "of": "b"}');
});

test('if none does, they fail on the last: of twenty, at the end or at the time limit', async t => {
  const assertions = [body('contains', 'never')];
  const many = await probe(
    websocket => {
      for (let count = 1; count <= 30; count++) websocket.send(`message ${count}`);
    },
    {},
    { assertions },
  );
  t.like(many, { error: null, response: { bodyText: 'message 20' }, facts: { websocket: { messages: 20 } } });
  const ended = await probe(
    websocket => {
      websocket.send('one');
      websocket.close(1011);
    },
    {},
    { assertions },
  );
  t.is(ended.response?.bodyText, 'one');
  const late = await withTime(
    timeoutMs => probe(websocket => websocket.send('one'), {}, { assertions, timeoutMs }),
    ({ error, response }) => error === null && response?.bodyText === 'one',
    1500,
  );
  t.like(late, { error: null, response: { bodyText: 'one' } });
});

for (const [what, talk] of [
  ['silence', () => undefined],
  ['a close', websocket => websocket.close(1008, 'policy')],
  ['a cut', websocket => websocket.terminate()],
] as const satisfies [string, Talk][])
  test(`${what} without a message is no_reply`, async t => {
    const timeoutMs = what === 'silence' ? 1500 : 20_000;
    const outcome = await probe(talk, { read: true }, { timeoutMs });
    t.like(outcome, { error: { code: 'no_reply' }, failureSource: 'target', phase: 'answer', statusCode: 101 });
    t.deepEqual(outcome.facts, { websocket: { subprotocol: null, messages: 0 } });
  });

test('the server chooses one of the subprotocols, or the handshake fails', async t => {
  const subprotocols = ['chat.v2', 'chat.v1'];
  const chosen = await probe(() => undefined, { subprotocols }, { server: { handleProtocols: () => 'chat.v1' } });
  t.deepEqual(chosen.facts, { websocket: { subprotocol: 'chat.v1', messages: 0 } });
  const none = await probe(() => undefined, { subprotocols }, { server: { handleProtocols: () => false } });
  t.like(none, { error: { code: 'protocol_error', message: 'the server chose none of the subprotocols' } });
  const other = await probe(() => undefined, { subprotocols }, { server: { handleProtocols: () => 'soap' } });
  t.like(other, { error: { code: 'protocol_error' }, phase: 'handshake' });
});

const answers: readonly [what: string, answer: string | null, code: string, statusCode: number | null][] = [
  ['a refusal', 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno', 'protocol_error', 403],
  ['a redirect', 'HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\n\r\n', 'protocol_error', 302],
  [
    'an answer to another handshake',
    'HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n',
    'protocol_error',
    101,
  ],
  [
    'an upgrade to something else',
    'HTTP/1.1 101 X\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
    'protocol_error',
    101,
  ],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'protocol_error', null],
  ['a head of 70 KiB', `HTTP/1.1 101 X\r\nA: ${'x'.repeat(70_000)}\r\n\r\n`, 'protocol_error', null],
  ['a cut', null, 'connection_reset', null],
];
for (const [what, answer, code, statusCode] of answers)
  test(`${what} instead of the handshake is ${code}`, async t => {
    const outcome = await probeRaw(socket => (answer === null ? socket.destroy() : socket.write(answer)));
    t.like(outcome, { error: { code }, statusCode, failureSource: 'target', phase: 'handshake', response: null });
  });

test('silence instead of the handshake is a timeout, and a closed port refuses', async t => {
  const silent = await probeRaw(() => undefined, { timeoutMs: 1000 });
  t.like(silent, { error: { code: 'timeout' }, phase: 'handshake' });
  const refused = await probeKindOnce(checkAt(1));
  t.like(refused, { error: { code: 'connect_refused' }, phase: 'connect', host: '127.0.0.1:1' });
});

test('a message of more than 256 KiB, and bytes that are no messages, are faults of the target', async t => {
  const large = await probe(websocket => websocket.send('x'.repeat(262_145)), { read: true });
  t.like(large, {
    error: { code: 'body_too_large', message: 'a message is larger than 256 KiB' },
    failureSource: 'target',
  });
  const whole = await probe(websocket => websocket.send('x'.repeat(262_144)), { read: true });
  t.is(whole.bytes, 262_144);
  type Raw = { _socket: Socket };
  const garbage = await probe(websocket => void (websocket as unknown as Raw)._socket.write('\xff\xff\xff'), {
    read: true,
  });
  t.like(garbage, { error: { code: 'protocol_error' }, failureSource: 'target' });
});

test('messages take memory that is accounted for, and without it the probe is at fault', async t => {
  let taken = 0;
  const takeBytes = (bytes: number) => {
    taken += bytes;
    return true;
  };
  await probe(websocket => websocket.send('x'.repeat(100_000)), { read: true }, { takeBytes });
  t.true(taken >= 100_000 && taken < 130_000, String(taken));
  const outcome = await probe(websocket => websocket.send('hi'), { read: true }, { takeBytes: () => false });
  t.like(outcome, { error: { code: 'body_too_large' }, failureSource: 'probe' });
});

test('over TLS the certificate is verified and reported', async t => {
  const certificate = makeCertificate();
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-websocket-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const authorityFile = join(folder, 'authority.pem');
  writeFileSync(authorityFile, certificate.authority);
  await using target = await startWebsocketServer(websocket => websocket.send('secure'), { tls: certificate });
  const check = checkAt(target.port, { secure: true, read: true });
  const trusted = await probeKindOnce(check, probeTools({}, authorityFile));
  t.like(trusted, { error: null, response: { bodyText: 'secure' }, tls: { protocol: 'TLSv1.3' } });
  t.like(await probeKindOnce(check), { error: { code: 'tls_error' }, phase: 'tls', tls: null });
});

test('a forbidden address is not connected to', async t => {
  const resolver = namesResolver({ 'in.test': [['10.0.0.1']] });
  const tools = probeTools({ policy: { base: 'public', allow: [] }, resolver });
  for (const host of ['127.0.0.1', '169.254.169.254', '::1', 'in.test'])
    t.like(await probeKindOnce(checkAt(80, { host }), tools), { error: { code: 'blocked_address' }, remoteIp: null });
});
