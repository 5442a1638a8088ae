import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import test from 'ava';
import type { WireEgress } from '#shared/checks/egress.ts';
import { makeCertificate } from '../../../support/certificate.ts';
import { namesResolver, probeKindOnce, probeOnce, probeTools, stepOf } from '../../../support/probe.ts';
import { ok, startTarget } from '../../../support/target.ts';

const server = makeCertificate({ name: 'inside.test' });
const client = makeCertificate({ name: 'client.test', authority: 'clients' });
const pair = { certificate: client.cert, private_key: client.key };
const tools = probeTools({ resolver: namesResolver({ 'app.test': [['127.0.0.1']], 'inside.test': [['127.0.0.1']] }) });

/** Node's server closes without an alert where others send one. */
const refusals = ['tls_error', 'connection_reset'];

/** A server over HTTPS that answers every request. */
async function startTls(options: TlsOptions = {}, onSocket: (socket: TLSSocket) => unknown = () => {}) {
  const listening = createServer({ key: server.key, cert: server.cert, ...options }, socket => {
    onSocket(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'));
  });
  listening.on('tlsClientError', () => undefined);
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void listening.close() };
}

const check = (port: number, egress?: WireEgress, name = 'inside.test') =>
  probeOnce({ url: `https://${name}:${port}/`, egress }, tools);
const handshake = (port: number, egress?: WireEgress) =>
  probeKindOnce({ kind: 'tls', host: 'inside.test', port, starttls: null }, tools, { egress });

test('an authority of the monitor is trusted, and it alone', async t => {
  await using target = await startTls();
  const without = await check(target.port);
  t.like(without.error, { code: 'tls_error' });
  const trusted = await check(target.port, { ca: server.authority });
  t.like(trusted, { error: null, statusCode: 200, tls: { verified: undefined } });
  t.like((await check(target.port, { ca: client.authority })).error, { code: 'tls_error' });
});

test('a certificate that is refused is reported, and no handshake', async t => {
  await using target = await startTls();
  for (const [egress, name, message] of [
    [undefined, 'inside.test', 'TLS failed: the certificate’s authority is unknown'],
    [{ ca: server.authority }, 'app.test', 'TLS failed: the certificate is for a different name'],
  ] as const) {
    const outcome = await check(target.port, egress, name);
    t.like(outcome, { error: { code: 'tls_error', message }, phase: 'tls', tls: null, statusCode: null });
    t.like(outcome.refusedTls, { verified: false, subject: 'CN=inside.test', protocol: 'TLSv1.3' });
  }
  const talked = await handshake(target.port);
  t.like(talked, { error: { code: 'tls_error' }, tls: null, refusedTls: { verified: false } });
});

test('a certificate that is refused after a redirect names its host', async t => {
  await using other = await startTls();
  const location = `https://app.test:${other.port}/`;
  await using first = await startTarget((_, response) => void response.writeHead(302, { Location: location }).end());
  const outcome = await probeOnce({ url: `http://inside.test:${first.port}/` }, tools);
  t.like(outcome, { error: { code: 'tls_error' }, way: { host: `app.test:${other.port}`, earlier: [] } });
  const wrong = await check(other.port);
  t.is(wrong.way, undefined);
});

test('without verification any certificate will do, and is reported as not verified', async t => {
  await using target = await startTls();
  for (const egress of [{ verify: false } as const, { verify: false, ca: client.authority } as const]) {
    const outcome = await check(target.port, egress, 'app.test');
    t.like(outcome, { error: null, statusCode: 200 });
    t.is(outcome.tls?.verified, false);
    t.is(outcome.tls?.subject, 'CN=inside.test');
  }
  t.is((await check(target.port, { verify: false, ca: server.authority })).tls?.verified, undefined);
  // Of an authority that is trusted, but for another name.
  const misnamed = await check(target.port, { verify: false, ca: server.authority }, 'app.test');
  t.like(misnamed.tls, { verified: false, subject: 'CN=inside.test' });
});

test('the server name is asked for and must stand in the certificate', async t => {
  const asked: (string | null)[] = [];
  const SNICallback: TlsOptions['SNICallback'] = (name, done) => {
    asked.push(name);
    done(null);
  };
  await using target = await startTls({ SNICallback });
  const named = { ca: server.authority, server_name: 'inside.test' };
  t.like(await check(target.port, named, 'app.test'), { error: null, statusCode: 200 });
  t.deepEqual(asked, ['inside.test']);
  t.like((await check(target.port, { ...named, server_name: 'other.test' })).error, { code: 'tls_error' });
});

for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
  test(`a client certificate is shown to the target over ${version}; without it TLS fails`, async t => {
    const other = makeCertificate({ name: 'client.test', authority: 'strangers' });
    await using target = await startTls({
      requestCert: true,
      rejectUnauthorized: true,
      ca: [client.authority],
      minVersion: version,
      maxVersion: version,
    });
    const trusting = { ca: server.authority };
    t.like(await check(target.port, { ...trusting, client_certificate: pair }), { error: null, statusCode: 200 });
    t.like(await handshake(target.port, { ...trusting, client_certificate: pair }), { error: null });
    const strange = { certificate: other.cert, private_key: other.key };
    for (const egress of [trusting, { ...trusting, client_certificate: strange }])
      t.true(refusals.includes((await check(target.port, egress)).error?.code ?? ''));
  });

test('a client certificate is not shown to another host after a redirect', async t => {
  const shown: boolean[] = [];
  const note = (socket: TLSSocket) => shown.push(socket.getPeerX509Certificate() !== undefined);
  await using other = await startTls({ requestCert: true, rejectUnauthorized: false }, note);
  const first = createServer(
    { key: server.key, cert: server.cert, requestCert: true, rejectUnauthorized: false },
    socket => {
      note(socket);
      const location = `https://app.test:${other.port}/`;
      socket.once('data', () => socket.end(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`));
    },
  );
  first.listen(0, '127.0.0.1');
  await once(first, 'listening');
  try {
    const { port } = first.address() as AddressInfo;
    const outcome = await check(port, { verify: false, client_certificate: pair });
    t.like(outcome, { error: null, statusCode: 200 });
    t.deepEqual(shown, [true, false]);
  } finally {
    first.close();
  }
});

test('of several steps the host of the first alone is shown the client certificate', async t => {
  const shown: [string, boolean][] = [];
  const asks = { requestCert: true, rejectUnauthorized: false };
  const note = (name: string) => (socket: TLSSocket) =>
    shown.push([name, socket.getPeerX509Certificate() !== undefined]);
  await using one = await startTls(asks, note('one'));
  await using two = await startTls(asks, note('two'));
  const steps = [one, two, one].map(({ port }, index) =>
    stepOf({ name: `step ${index}`, url: `https://inside.test:${port}/` }),
  );
  const egress = { ca: server.authority, client_certificate: pair };
  const outcome = await probeKindOnce({ kind: 'multistep', steps }, tools, { egress });
  t.is(outcome.error, null);
  t.deepEqual(shown, [
    ['one', true],
    ['two', false],
    ['one', true],
  ]);
  const untrusted = await probeKindOnce({ kind: 'multistep', steps }, tools);
  t.like(untrusted, { error: { code: 'tls_error' }, tls: null, refusedTls: { subject: 'CN=inside.test' } });
});

test('the server name is not asked of another host after a redirect', async t => {
  const asked: string[] = [];
  const SNICallback: TlsOptions['SNICallback'] = (name, done) => {
    asked.push(name);
    done(null);
  };
  await using other = await startTls({ SNICallback });
  const location = `https://inside.test:${other.port}/`;
  await using first = await startTarget((_, response) => void response.writeHead(302, { Location: location }).end());
  const egress = { ca: server.authority, server_name: 'elsewhere.test' };
  const outcome = await probeOnce({ url: `http://app.test:${first.port}/`, egress }, tools);
  t.like(outcome, { error: null, statusCode: 200 });
  t.deepEqual(asked, ['inside.test']);
});

test('only addresses of the family are connected to; none is a fault of the name', async t => {
  await using target = await startTarget(ok('here'));
  const both = probeTools({ resolver: namesResolver({ 'both.test': [['::1', '127.0.0.1']], 'six.test': [['::1']] }) });
  const get = (name: string, ip_family: 'ipv4' | 'ipv6') =>
    probeOnce({ url: `http://${name}:${target.port}/`, egress: { ip_family } }, both);
  t.like(await get('both.test', 'ipv4'), { error: null, remoteIp: '127.0.0.1' });
  t.like(await get('both.test', 'ipv6'), { remoteIp: '::1' });
  for (const outcome of [await get('six.test', 'ipv4'), await get('127.0.0.1', 'ipv6')])
    t.like(outcome, {
      error: { code: 'dns_failure', message: 'no address of that family' },
      failureSource: 'target',
      phase: 'dns',
    });
});
