import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Assertion } from '#shared/assertions/assertion.ts';
import type { GrpcCheck } from '#shared/checks/check.ts';
import { makeCertificate } from '../../../../support/certificate.ts';
import { type HealthCallback, startGrpcServer } from '../../../../support/grpc-server.ts';
import { namesResolver, probeKindOnce, probeTools } from '../../../../support/probe.ts';
import { ok, startRawTarget, startTarget } from '../../../../support/target.ts';

const checkAt = (port: number, changes: Partial<GrpcCheck> = {}): GrpcCheck => ({
  kind: 'grpc',
  secure: false,
  host: '127.0.0.1',
  port,
  service: '',
  ...changes,
});

type Options = Parameters<typeof probeKindOnce>[2] & { service?: string };

/** One attempt against a health service of grpc-js. */
async function probe(answer: HealthCallback | null, { service = '', ...options }: Options = {}) {
  await using server = await startGrpcServer(answer);
  return await probeKindOnce(checkAt(server.port, { service }), probeTools(), options);
}

test('a service that is serving is fine, asked for by its name with the metadata', async t => {
  const seen: unknown[] = [];
  const outcome = await probe(
    (service, metadata) => {
      seen.push(service, metadata.get('x-token'), metadata.get('user-agent')[0]);
      return 1;
    },
    { service: 'shop.Orders', headers: { 'x-token': 'secret' } },
  );
  t.like(outcome, { error: null, statusCode: null, remoteIp: '127.0.0.1', phase: 'answer', bytes: 7 });
  t.deepEqual(outcome.facts, { grpc: { status: 'SERVING', code: 0 } });
  t.deepEqual(seen.slice(0, 2), ['shop.Orders', ['secret']]);
  t.regex(String(seen[2]), /^upquorum\//);
  t.true((outcome.timings.first_byte_ms ?? -1) >= 0);
  t.true((outcome.timings.download_ms ?? -1) >= 0);
});

const refusals: readonly [answer: ReturnType<HealthCallback>, grpc: object, message: string][] = [
  [2, { status: 'NOT_SERVING', code: 0 }, 'answered, but not serving: NOT_SERVING'],
  [0, { status: 'UNKNOWN', code: 0 }, 'answered, but not serving: UNKNOWN'],
  [
    { code: 5, details: 'unknown service “a”' },
    { status: null, code: 5 },
    'answered, but not serving: gRPC code 5, NOT_FOUND: unknown service “a”',
  ],
  [{ code: 16, details: '' }, { status: null, code: 16 }, 'answered, but not serving: gRPC code 16, UNAUTHENTICATED'],
];
for (const [answer, grpc, message] of refusals)
  test(`${message} is not_serving`, async t => {
    const outcome = await probe(() => answer);
    t.like(outcome, {
      error: { code: 'not_serving', message },
      failureSource: 'target',
      phase: 'answer',
      response: null,
    });
    t.deepEqual(outcome.facts, { grpc } as never);
  });

test('a server without the health service is not serving, and says what is missing', async t => {
  const outcome = await probe(null);
  const message = 'answered, but not serving: the server has no health service';
  t.is(outcome.error?.code, 'not_serving');
  t.true(outcome.error?.message.startsWith(message), outcome.error?.message);
  t.deepEqual(outcome.facts, { grpc: { status: null, code: 12 } });
});

test('with an assertion on the status the kind asks nothing itself', async t => {
  const assertions: Assertion[] = [{ type: 'grpc_status', operator: 'in', value: ['NOT_SERVING', 5] }];
  t.is((await probe(() => 2, { assertions })).error, null);
  t.is((await probe(() => ({ code: 5 }), { assertions })).error, null);
});

test('grpcs verifies the certificate and speaks HTTP/2 as ALPN has it', async t => {
  const certificate = makeCertificate();
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-grpc-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'authority.pem');
  writeFileSync(file, certificate.authority);
  await using server = await startGrpcServer(() => 1, { tls: certificate });
  const check = checkAt(server.port, { secure: true });
  t.like(await probeKindOnce(check, probeTools({}, file)), { error: null, tls: { protocol: 'TLSv1.3' } });
  t.like(await probeKindOnce(check), { error: { code: 'tls_error' }, phase: 'tls' });
  await using web = await startTarget(ok(), certificate);
  const other = await probeKindOnce(checkAt(web.port, { secure: true }), probeTools({}, file));
  t.true(['protocol_error', 'tls_error'].includes(other.error?.code ?? ''), other.error?.message);
});

/** One attempt against a server of HTTP/2 that answers the call like this. */
async function probeHttp2(answer: (stream: ServerHttp2Stream, server: Http2Server) => void, timeoutMs = 20_000) {
  const server = createServer();
  server.on('session', session => session.on('error', () => undefined));
  server.on('stream', stream => {
    stream.on('error', () => undefined);
    answer(stream, server);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  try {
    return await probeKindOnce(checkAt((server.address() as AddressInfo).port), probeTools(), { timeoutMs });
  } finally {
    server.close();
  }
}

const grpcHead = { ':status': 200, 'content-type': 'application/grpc+proto' };
function answered(stream: ServerHttp2Stream, head: object, bytes: Buffer): void {
  stream.respond({ ...head });
  stream.end(bytes);
}

const message = Buffer.from([0, 0, 0, 0, 2, 8, 1]);
const wrong: readonly [what: string, answer: (stream: ServerHttp2Stream) => void, status: number | null][] = [
  ['a status of HTTP', stream => stream.respond({ ':status': 503 }, { endStream: true }), 503],
  ['a page', stream => answered(stream, { ':status': 200, 'content-type': 'text/html' }, Buffer.from('hi')), null],
  ['no trailers', stream => answered(stream, grpcHead, message), null],
  ['no message', stream => stream.respond({ ...grpcHead, 'grpc-status': '0' }, { endStream: true }), null],
  [
    'a status that is no number',
    stream => stream.respond({ ...grpcHead, 'grpc-status': 'OK' }, { endStream: true }),
    null,
  ],
  ['a reset of the call', stream => stream.close(2), null],
  ['8 KiB', stream => answered(stream, grpcHead, Buffer.alloc(8192)), null],
];
for (const [what, answer, statusCode] of wrong)
  test(`${what} instead of an answer of gRPC is a protocol_error`, async t => {
    t.like(await probeHttp2(answer), {
      error: { code: 'protocol_error' },
      statusCode,
      failureSource: 'target',
      facts: null,
    });
  });

test('silence is a timeout, a cut a reset, HTTP/1.1 and garbage are protocol errors', async t => {
  t.like(await probeHttp2(() => undefined, 1000), { error: { code: 'timeout' }, phase: 'request' });
  const raw = async (answer: (socket: Socket) => void) => {
    await using target = await startRawTarget(socket => void socket.once('data', () => answer(socket)));
    return await probeKindOnce(checkAt(target.port));
  };
  for (const text of ['HTTP/1.1 400 Bad Request\r\n\r\n', 'x'.repeat(100_000)])
    t.like(await raw(socket => void socket.write(text)), {
      error: { code: 'protocol_error' },
      failureSource: 'target',
    });
  t.like(await raw(socket => void socket.destroy()), { error: { code: 'connection_reset' }, phase: 'request' });
  t.like(await probeKindOnce(checkAt(1)), { error: { code: 'connect_refused' }, phase: 'connect' });
});

test('a forbidden address is not connected to', async t => {
  const resolver = namesResolver({ 'in.test': [['10.0.0.1']] });
  const tools = probeTools({ policy: { base: 'public', allow: [] }, resolver });
  for (const host of ['127.0.0.1', '169.254.169.254', '::1', 'in.test'])
    t.like(await probeKindOnce(checkAt(80, { host }), tools), { error: { code: 'blocked_address' }, remoteIp: null });
});
