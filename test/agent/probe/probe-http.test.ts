import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import test from 'ava';
import { dayMs } from '#shared/duration.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { namesResolver, probeOnce, probeTools } from '../../support/probe.ts';
import { answer, delayed, ok, redirect, silent, startTarget } from '../../support/target.ts';

const certificate = makeCertificate();
const folder = mkdtempSync(join(tmpdir(), 'upquorum-probe-'));
const authorityFile = join(folder, 'ca.pem');
writeFileSync(authorityFile, certificate.authority);
test.after.always(() => rmSync(folder, { recursive: true }));

test('a plain request reports status, body, phases and address', async t => {
  await using target = await startTarget(ok('hello'));
  const outcome = await probeOnce({ url: `${target.url}path?query=1` });
  t.like(outcome, { error: null, failureSource: null, remoteIp: '127.0.0.1', bytes: 5, truncated: false, tls: null });
  t.like(outcome.response, { statusCode: 200, bodyText: 'hello' });
  t.deepEqual(outcome.response?.headers.get('content-type'), ['application/json']);
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, download_ms } = outcome.timings;
  t.deepEqual([dns_ms, tls_ms], [null, null]);
  for (const phase of [connect_ms, first_byte_ms, download_ms]) t.true((phase ?? -1) >= 0);
  t.is(target.requests[0]?.url, '/path?query=1');
  t.regex(target.requests[0]?.headers['user-agent'] ?? '', /^upquorum\/\d/);
  t.is(target.requests[0]?.headers.connection, 'close');
});

test('an HTTPS request verifies the certificate and reports it', async t => {
  await using target = await startTarget(ok(), certificate);
  const outcome = await probeOnce({ url: target.url }, probeTools({}, authorityFile));
  t.is(outcome.error, null);
  t.is(outcome.tls?.protocol, 'TLSv1.3');
  t.true((outcome.timings.tls_ms ?? 0) > 0);
  const days = ((outcome.tls?.validToMs ?? 0) - Date.now()) / 86_400_000;
  t.true(days > 59 && days <= 60);
  const byAddress = await probeOnce(
    { url: target.url.replace('localhost', '127.0.0.1') },
    probeTools({}, authorityFile),
  );
  t.is(byAddress.error, null);
});

test('a certificate of an unknown authority, or for a different name, is a tls_error', async t => {
  await using target = await startTarget(ok(), certificate);
  t.like((await probeOnce({ url: target.url })).error, { code: 'tls_error' });
  const other = namesResolver({ 'other.test': [['127.0.0.1']] });
  const named = await probeOnce(
    { url: target.url.replace('localhost', 'other.test') },
    probeTools({ resolver: other }, authorityFile),
  );
  t.deepEqual(named.error, { code: 'tls_error', message: 'TLS failed: the certificate is for a different name' });
  t.is(target.requests.length, 0);
});

test('the customer’s method, headers and body are sent as given', async t => {
  await using target = await startTarget();
  await probeOnce({
    url: target.url,
    method: 'POST',
    headers: { 'X-Key': 'k', 'user-agent': 'mine' },
    body: '{"ä":1}',
  });
  t.like(target.requests[0], { method: 'POST', body: '{"ä":1}' });
  t.like(target.requests[0]?.headers, { 'x-key': 'k', 'user-agent': 'mine', 'content-length': '8' });
  const head = await probeOnce({ url: target.url, method: 'HEAD' });
  t.like(head, { error: null, bytes: 0 });
});

const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };
for (const [coding, encode] of Object.entries({ ...codings, 'deflate ': deflateRawSync }))
  test(`a body coded as ${coding === 'deflate ' ? 'raw deflate' : coding} is decoded`, async t => {
    const text = 'grün '.repeat(1000);
    await using target = await startTarget((_, response) => {
      response.writeHead(200, { 'content-encoding': coding.trim() });
      response.end(encode(Buffer.from(text)));
    });
    const outcome = await probeOnce({ url: target.url });
    t.is(outcome.response?.bodyText, text);
    t.true(outcome.bytes < text.length);
  });

test('the declared charset is honoured, and a byte order mark is removed', async t => {
  await using target = await startTarget((request, response) => {
    if (request.url === '/latin1') {
      response.setHeader('content-type', 'text/html; charset=ISO-8859-1');
      response.end(Buffer.from('grün', 'latin1'));
    } else response.end('\uFEFF{}');
  });
  t.is((await probeOnce({ url: `${target.url}latin1` })).response?.bodyText, 'grün');
  t.is((await probeOnce({ url: target.url })).response?.bodyText, '{}');
});

test('assertions see the first MiB of a large body, and the rest is counted', async t => {
  await using target = await startTarget(ok('x'.repeat(3_000_000)));
  const outcome = await probeOnce({ url: target.url });
  t.like(outcome, { error: null, bytes: 3_000_000, truncated: true });
  t.is(outcome.response?.bodyText.length, 1_048_576);
});

for (const [status, method, after] of [
  [301, 'POST', 'GET'],
  [302, 'POST', 'GET'],
  [303, 'PUT', 'GET'],
  [303, 'HEAD', 'HEAD'],
  [307, 'POST', 'POST'],
  [308, 'PUT', 'PUT'],
  [302, 'DELETE', 'DELETE'],
] as const)
  test(`a ${status} after ${method} is followed with ${after}`, async t => {
    await using target = await startTarget((request, response) =>
      (request.url === '/' ? redirect(status, '/next') : ok())(request, response),
    );
    const body = method === 'POST' || method === 'PUT' ? 'content' : null;
    const outcome = await probeOnce({ url: target.url, method, body, headers: { 'X-Key': 'k' } });
    t.is(outcome.response?.statusCode, 200);
    t.like(target.requests[1], { method: after, url: '/next', body: after === method ? (body ?? '') : '' });
    t.is(target.requests[1]?.headers['x-key'], 'k');
  });

test('headers and body are not sent to another origin, nor back to the first one after it', async t => {
  await using target = await startTarget();
  await using other = await startTarget(redirect(307, `${target.url}back`));
  target.behaviour = (request, response) => (request.url === '/' ? redirect(307, other.url) : ok())(request, response);
  await probeOnce({ url: target.url, method: 'POST', body: 'secret', headers: { Authorization: 'Bearer secret' } });
  t.is(target.requests[0]?.headers.authorization, 'Bearer secret');
  for (const request of [other.requests[0], target.requests[1]]) {
    t.is(request?.headers.authorization, undefined);
    t.is(request?.body, '');
  }
});

test('an upgrade to https of the same host keeps the headers', async t => {
  await using secure = await startTarget(ok(), certificate);
  await using plain = await startTarget(redirect(301, secure.url));
  const headers = { Authorization: 'Bearer secret', 'User-Agent': 'mine' };
  const url = plain.url.replace('127.0.0.1', 'localhost');
  t.is((await probeOnce({ url, headers }, probeTools({}, authorityFile))).response?.statusCode, 200);
  t.like(secure.requests[0]?.headers, { authorization: 'Bearer secret', 'user-agent': 'mine' });
});

test('ten redirects are followed, an eleventh is an error, and none are followed if the monitor says so', async t => {
  await using target = await startTarget((request, response) => {
    const left = Number(new URL(request.url ?? '', 'http://x').searchParams.get('left'));
    (left === 0 ? ok() : redirect(302, `/?left=${left - 1}`))(request, response);
  });
  t.is((await probeOnce({ url: `${target.url}?left=10` })).response?.statusCode, 200);
  const many = await probeOnce({ url: `${target.url}?left=11` });
  t.like(many, { error: { code: 'too_many_redirects' }, failureSource: 'target', response: null, statusCode: 302 });
  t.is((await probeOnce({ url: `${target.url}?left=3`, followRedirects: false })).response?.statusCode, 302);
});

test('a forbidden address is refused before a connection, directly and behind a redirect', async t => {
  await using inner = await startTarget();
  await using outer = await startTarget(redirect(302, `http://[::ffff:127.0.0.2]:${inner.port}/`));
  const only = probeTools({ policy: { base: 'ranges', allow: [] } });
  t.like((await probeOnce({ url: inner.url }, only)).error, { code: 'blocked_address' });
  for (const host of ['2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '[::ffff:7f00:1]', '127.1', 'localhost.'])
    t.like((await probeOnce({ url: `http://${host}:${inner.port}/` }, only)).error, { code: 'blocked_address' }, host);
  const first = probeTools({
    policy: { base: 'ranges', allow: [[(await import('ipaddr.js')).default.parse('127.0.0.1'), 32]] },
  });
  const outcome = await probeOnce({ url: outer.url }, first);
  t.like(outcome, { error: { code: 'blocked_address' }, failureSource: 'target' });
  t.is(inner.requests.length, 0);
});

test('a name that resolves to a forbidden address the second time is refused the second time', async t => {
  await using target = await startTarget(redirect(302, '/again'));
  const url = `http://rebind.test:${target.port}/`;
  const resolver = namesResolver({ 'rebind.test': [['127.0.0.1'], ['10.0.0.1']] });
  const outcome = await probeOnce({ url }, probeTools({ resolver }));
  t.like(outcome.error, { code: 'blocked_address' });
  t.is(target.requests.length, 1);
});

test('a name that does not exist is the target’s fault', async t => {
  const outcome = await probeOnce({ url: 'http://nowhere.test/' });
  t.like(outcome, { error: { code: 'dns_failure' }, failureSource: 'target', response: null });
});

test('the next address is tried when one refuses, of the other family as well', async t => {
  await using target = await startTarget();
  const resolver = namesResolver({
    'two.test': [['127.0.0.9', '127.0.0.1']],
    'four.test': [['127.0.0.6', '127.0.0.7', '127.0.0.8', '127.0.0.1']],
    'both.test': [['127.0.0.9', '::ffff:127.0.0.1']],
  });
  for (const [name, remoteIp] of [
    ['two.test', '127.0.0.1'],
    ['four.test', '127.0.0.1'],
    ['both.test', '::ffff:127.0.0.1'],
  ] as const)
    for (const _ of ['first check', 'second check']) {
      const outcome = await probeOnce({ url: `http://${name}:${target.port}/` }, probeTools({ resolver }));
      t.like(outcome, { error: null, remoteIp });
    }
});

test('a closed port is connect_refused, and no answer is a timeout, within the limit', async t => {
  t.like(await probeOnce({ url: 'http://127.0.0.1:1/' }), {
    error: { code: 'connect_refused' },
    failureSource: 'target',
  });
  await using target = await startTarget(silent());
  const outcome = await probeOnce({ url: target.url, timeoutMs: 2000 });
  t.like(outcome, { error: { code: 'timeout' }, failureSource: 'target' });
  t.true(outcome.latencyMs < 60_000);
});

test.serial('the time limit covers all redirects together', async t => {
  await using target = await startTarget(delayed(700, redirect(302, '/')));
  const outcome = await probeOnce({ url: target.url, timeoutMs: 2000 });
  t.like(outcome.error, { code: 'timeout' });
  t.true(outcome.latencyMs < 60_000);
});

test('a redirect to another protocol or with credentials is not followed', async t => {
  for (const location of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'http://user:word@127.0.0.1/', 'http://[']) {
    await using target = await startTarget(redirect(302, location));
    const { error } = await probeOnce({ url: target.url });
    t.is(error?.code, 'protocol_error', location);
  }
});

test('an error never shows the query or a header', async t => {
  await using target = await startTarget(answer(302, '', { location: 'ftp://secret-place/?secret-query' }));
  const outcome = await probeOnce({ url: `${target.url}?token=secret-query`, headers: { 'X-Key': 'secret-key' } });
  t.notRegex(JSON.stringify(outcome.error), /secret/);
});

test('a redirect to a UTF-8 address asks for that address', async t => {
  await using target = await startTarget((request, response) => {
    const location = Buffer.from('/é?ü').toString('latin1');
    if (request.url === '/') response.writeHead(302, { location });
    response.end();
  });
  t.is((await probeOnce({ url: target.url })).response?.statusCode, 200);
  t.is(target.requests[1]?.url, '/%C3%A9?%C3%BC');
});

test('a gate that sets a cookie and redirects lets the check pass, beside the customer’s own cookies', async t => {
  await using target = await startTarget((request, response) => {
    if (request.headers.cookie?.includes('gate=open') === true) return ok('inside')(request, response);
    answer(302, '', { location: '/', 'set-cookie': ['gate=open; Path=/', 'other=1; Path=/else'] })(request, response);
  });
  const outcome = await probeOnce({ url: target.url, headers: { cookie: 'mine=1' } });
  t.is(outcome.response?.bodyText, 'inside');
  t.is(target.requests[1]?.headers.cookie, 'mine=1; gate=open');
  const again = await probeOnce({ url: target.url, followRedirects: false });
  t.is(again.response?.statusCode, 302, 'the next check starts without cookies');
});

test('cookies expire by the agent’s corrected clock, whatever the host’s says', async t => {
  for (const [clockDays, expiresDays, isSent] of [
    [0, 1, true],
    [0, -1, false],
    [2, 1, false],
    [-2, -1, true],
  ] as const) {
    const expires = new Date(Date.now() + expiresDays * dayMs).toUTCString();
    const gate = { location: '/in', 'set-cookie': `gate=open; Path=/; Expires=${expires}` };
    await using target = await startTarget((request, response) =>
      (request.url === '/' ? answer(302, '', gate) : ok())(request, response),
    );
    await probeOnce({ url: target.url }, probeTools({ clock: { now: () => Date.now() + clockDays * dayMs } }));
    t.is(target.requests[1]?.headers.cookie, isSent ? 'gate=open' : undefined, `${clockDays} ${expiresDays}`);
  }
});

test('a sign-on over two subdomains ends: a cookie for their domain reaches both, and no other site', async t => {
  const resolver = namesResolver(
    Object.fromEntries(['app.a.test', 'login.a.test', 'b.test'].map(name => [name, [['127.0.0.1']]])),
  );
  await using target = await startTarget((request, response) => {
    const { host = '', cookie } = request.headers;
    if (host.startsWith('login')) {
      const location = `http://app.a.test:${target.port}/`;
      answer(302, '', { location, 'set-cookie': 'session=1; Domain=a.test; Path=/' })(request, response);
    } else if (host.startsWith('app'))
      redirect(302, cookie ? `http://b.test:${target.port}/` : login)(request, response);
    else ok('inside')(request, response);
  });
  const login = `http://login.a.test:${target.port}/`;
  const outcome = await probeOnce({ url: `http://app.a.test:${target.port}/` }, probeTools({ resolver }));
  t.is(outcome.response?.bodyText, 'inside', outcome.error?.message);
  t.deepEqual(
    target.requests.map(({ headers }) => headers.cookie),
    [undefined, undefined, 'session=1', undefined],
  );
});

test('a cookie is not sent to another host', async t => {
  await using other = await startTarget();
  const location = `http://localhost:${other.port}/`;
  await using target = await startTarget(answer(302, '', { location, 'set-cookie': 'gate=open; Path=/' }));
  t.is((await probeOnce({ url: target.url })).response?.statusCode, 200);
  t.is(other.requests[0]?.headers.cookie, undefined);
});

test('a TLS failure keeps the time of the TCP connection', async t => {
  await using target = await startTarget();
  const outcome = await probeOnce({ url: `https://127.0.0.1:${target.port}/` });
  t.is(outcome.error?.code, 'tls_error');
  t.true((outcome.timings.connect_ms ?? -1) >= 0);
});

for (const [what, code, remoteIp, landing] of [
  ['refuses', 'connect_refused', '127.0.0.1', 'refusing'],
  ['shows an expired certificate', 'tls_error', '127.0.0.1', 'expired'],
  ['has no address', 'dns_failure', null, 'unknown'],
] as const)
  test(`a redirect to a host that ${what} reports nothing of the host before it`, async t => {
    const expired = makeCertificate({ from: Date.now() - 10 * dayMs, days: 5 });
    const file = join(folder, `two-${landing}.pem`);
    writeFileSync(file, certificate.authority + expired.authority);
    await using last = await startTarget(ok(), expired);
    const landings = { expired: last.url, refusing: 'http://127.0.0.1:1/', unknown: 'https://nowhere.test/' };
    await using first = await startTarget(redirect(302, landings[landing]), certificate);
    const tools = probeTools({ resolver: namesResolver({ localhost: [['127.0.0.1']] }) }, file);
    const outcome = await probeOnce({ url: first.url }, tools);
    t.like(outcome, { error: { code }, failureSource: 'target', statusCode: 302, tls: null, remoteIp });
  });
