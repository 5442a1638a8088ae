import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { makeCertificate } from '../../support/certificate.ts';
import { answer2, type Http2Behaviour, startHttp2Target } from '../../support/http2-target.ts';
import { probeOnce, probeTools } from '../../support/probe.ts';
import { ok, startRawTarget, startTarget } from '../../support/target.ts';

const certificate = makeCertificate();
const folder = mkdtempSync(join(tmpdir(), 'upquorum-http2-'));
const authorityFile = join(folder, 'ca.pem');
writeFileSync(authorityFile, certificate.authority);
test.after.always(() => rmSync(folder, { recursive: true }));
const trusting = () => probeTools({}, authorityFile);

test('HTTP/2 is agreed on in the handshake, and one request is sent', async t => {
  await using target = await startHttp2Target(
    answer2(200, 'hello', { 'x-a': ['1', '2'], 'set-cookie': ['a=1', 'b=2'] }),
    certificate,
  );
  const headers = { 'X-Key': 'k', Host: 'other.example', Connection: 'close', 'Keep-Alive': '1', TE: 'gzip' };
  const url = `${target.url}path?query=1`;
  const outcome = await probeOnce({ url, headers, method: 'POST', body: 'ping', http_version: '2' }, trusting());
  t.like(outcome, { error: null, bytes: 5, statusCode: 200, facts: { http_version: '2' }, remoteIp: '127.0.0.1' });
  t.like(outcome.tls, { protocol: 'TLSv1.3', alpn: 'h2' });
  t.like(outcome.response, { bodyText: 'hello', truncated: false });
  t.deepEqual(outcome.response?.headers.get('x-a'), ['1', '2']);
  t.deepEqual(outcome.response?.headers.get('set-cookie'), ['a=1', 'b=2']);
  t.false([...(outcome.response?.headers.keys() ?? [])].some(name => name.startsWith(':')));
  for (const ms of [outcome.timings.tls_ms, outcome.timings.first_byte_ms, outcome.timings.download_ms])
    t.true((ms ?? -1) >= 0);
  const [request, ...others] = target.requests;
  t.deepEqual(others, []);
  t.is(request?.body, 'ping');
  t.like(request?.headers, {
    ':method': 'POST',
    ':scheme': 'https',
    ':path': '/path?query=1',
    ':authority': 'other.example',
    'x-key': 'k',
    'content-length': '4',
    accept: '*/*',
  });
  for (const name of ['connection', 'keep-alive', 'te', 'host']) t.is(request?.headers[name], undefined, name);
});

test('without TLS, HTTP/2 begins at once', async t => {
  await using target = await startHttp2Target(answer2(204));
  const outcome = await probeOnce({ url: target.url, http_version: '2' });
  t.like(outcome, { error: null, statusCode: 204, bytes: 0, tls: null, facts: { http_version: '2' } });
});

test('auto takes what the server agrees to, and HTTP/1.1 without TLS', async t => {
  await using both = await startHttp2Target(answer2(200), { ...certificate, allowHTTP1: true });
  const agreed = await probeOnce({ url: both.url, http_version: 'auto' }, trusting());
  t.like(agreed, { error: null, facts: { http_version: '2' }, tls: { alpn: 'h2' } });
  await using old = await startTarget(ok(), certificate);
  const refused = await probeOnce({ url: old.url, http_version: 'auto' }, trusting());
  t.like(refused, { error: null, facts: { http_version: '1.1' }, tls: { alpn: 'http/1.1' } });
  await using plain = await startTarget();
  const clear = await probeOnce({ url: plain.url, http_version: 'auto' });
  t.like(clear, { error: null, facts: { http_version: '1.1' }, tls: null });
});

test('by default HTTP/1.1 alone is offered, and the version of the answer is reported', async t => {
  await using both = await startHttp2Target(answer2(200), { ...certificate, allowHTTP1: true });
  const outcome = await probeOnce({ url: both.url }, trusting());
  t.like(outcome, { error: null, facts: { http_version: '1.1' } });
  t.is(outcome.tls?.alpn, undefined);
  await using old = await startRawTarget(socket => void socket.end('HTTP/1.0 200 OK\r\n\r\n'));
  t.like(await probeOnce({ url: old.url }), { error: null, facts: { http_version: '1.0' } });
});

const noHttp2 = { code: 'protocol_error', message: 'the server does not speak HTTP/2' } as const;

test('a server that does not agree to HTTP/2 does not speak it: by another choice, none, or alert 120', async t => {
  await using old = await startTarget(ok(), certificate);
  const offers: (string[] | undefined)[] = [undefined, ['http/1.1']];
  for (const ALPNProtocols of offers) {
    const server = createTlsServer({ ...certificate, ...(ALPNProtocols && { ALPNProtocols }) }, () => undefined);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const outcome = await probeOnce({ url: `https://localhost:${port}/`, http_version: '2' }, trusting());
    t.like(outcome, { error: noHttp2, failureSource: 'target', phase: 'tls', statusCode: null });
    server.close();
  }
  t.like(await probeOnce({ url: old.url, http_version: '2' }, trusting()), { error: noHttp2 });
});

test('a server that answers in HTTP/1.1 to HTTP/2 without TLS does not speak it', async t => {
  await using target = await startRawTarget(socket => {
    socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'));
  });
  t.like(await probeOnce({ url: target.url, http_version: '2' }), { error: noHttp2, failureSource: 'target' });
});

const breakingOff: readonly [title: string, behaviour: Http2Behaviour][] = [
  ['RST_STREAM', stream => stream.close(2)],
  ['RST_STREAM that cancels', stream => stream.close(8)],
  ['GOAWAY', stream => stream.session?.goaway(2, 0)],
  ['GOAWAY without an error', stream => stream.session?.destroy()],
  ['the end of the connection', stream => (stream.session?.socket as Socket | undefined)?.destroy()],
];
for (const [title, behaviour] of breakingOff)
  test(`${title} before an answer is a reset connection`, async t => {
    await using target = await startHttp2Target(behaviour);
    const outcome = await probeOnce({ url: target.url, http_version: '2' });
    t.like(outcome, { error: { code: 'connection_reset' }, failureSource: 'target', statusCode: null });
  });

test('a body that breaks off is no whole body', async t => {
  await using target = await startHttp2Target(stream => {
    stream.respond({ ':status': 200 });
    stream.write('part', () => stream.close(8));
  });
  const outcome = await probeOnce({ url: target.url, http_version: '2' });
  t.like(outcome, { error: { code: 'connection_reset' }, statusCode: 200, facts: { http_version: '2' } });
});

test('redirects are followed, each hop by what its own server agrees to', async t => {
  await using last = await startTarget(ok('end'), certificate);
  await using first = await startHttp2Target(answer2(302, '', { location: last.url }), certificate);
  const outcome = await probeOnce({ url: first.url, http_version: 'auto' }, trusting());
  t.like(outcome, { error: null, response: { bodyText: 'end' }, facts: { http_version: '1.1' } });
  t.like(outcome.tls, { alpn: 'http/1.1' });
  const strict = await probeOnce({ url: first.url, http_version: '2' }, trusting());
  t.like(strict, { error: noHttp2, statusCode: 302 });
});

test('the limits are those of HTTP/1.1: headers, body, coding, time', async t => {
  const big = 'x'.repeat(4000);
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-${index}`, big]));
  await using heads = await startHttp2Target(answer2(200, '', many), null, { maxSendHeaderBlockLength: 200_000 });
  const head = await probeOnce({ url: heads.url, http_version: '2' });
  t.deepEqual(head.error, { code: 'protocol_error', message: 'the response headers are too large' });

  await using bodies = await startHttp2Target(stream => {
    stream.respond({ ':status': 200 });
    const chunk = Buffer.alloc(65_536, 'a');
    const more = () => {
      while (!stream.destroyed && stream.write(chunk));
    };
    stream.on('drain', more);
    more();
  });
  t.like(await probeOnce({ url: bodies.url, http_version: '2' }), { error: { code: 'body_too_large' } });

  await using zipped = await startHttp2Target(stream => {
    stream.respond({ ':status': 200, 'content-encoding': 'gzip' });
    stream.end(gzipSync('a'.repeat(2_000_000)));
  });
  const unzipped = await probeOnce({ url: zipped.url, http_version: '2' });
  t.like(unzipped, { error: null, truncated: true });
  t.is(unzipped.response?.bodyText.length, 1_048_576);

  await using silent = await startHttp2Target(() => undefined);
  const late = await probeOnce({ url: silent.url, http_version: '2', timeoutMs: 300 });
  t.like(late, { error: { code: 'timeout' }, failureSource: 'target' });
});

test('a HEAD request has no body, and an answer in the middle of a request is taken', async t => {
  await using target = await startHttp2Target((stream, headers) => {
    stream.additionalHeaders({ ':status': 103, link: '</a>' });
    stream.respond({ ':status': 200, 'content-length': '5' });
    stream.end(headers[':method'] === 'HEAD' ? undefined : 'hello');
  });
  t.like(await probeOnce({ url: target.url, method: 'HEAD', http_version: '2' }), { error: null, bytes: 0 });
  t.like(await probeOnce({ url: target.url, http_version: '2' }), { error: null, bytes: 5, statusCode: 200 });
});

test('a push is refused: it ends the connection', async t => {
  await using target = await startHttp2Target(stream => {
    t.throws(() => stream.pushStream({ ':path': '/more' }, () => undefined));
    stream.respond({ ':status': 200 });
    stream.end();
  });
  t.is((await probeOnce({ url: target.url, http_version: '2' })).error, null);
});
