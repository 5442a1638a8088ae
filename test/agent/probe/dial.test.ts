import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import test from 'ava';
import { nameText } from '#agent/probe/certificate-facts.ts';
import { Deadline, DeadlineError } from '#agent/probe/deadline.ts';
import { type Connection, DialError, type DialOptions, dial } from '#agent/probe/dial.ts';
import { createTrust, type Trust } from '#agent/probe/trust.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { startDeafTarget } from '../../support/deaf-target.ts';
import { ok, startRawTarget, startTarget } from '../../support/target.ts';

const folder = mkdtempSync(join(tmpdir(), 'upquorum-dial-'));
test.after.always(() => rmSync(folder, { recursive: true }));
const certificate = makeCertificate();
const authorityFile = join(folder, 'authority.pem');
writeFileSync(authorityFile, certificate.authority);
const [publicTrust, testTrust] = [createTrust(null), createTrust(authorityFile)];

const at = (...known: string[]) => ({ known, later: null });

type Changes = Partial<DialOptions> & { serverName?: string | null; trust?: Trust };

/** Dials loopback; the socket is destroyed when the connection is disposed. */
async function dialPort(
  port: number,
  { serverName = null, trust = testTrust, ...changes }: Changes = {},
  deadlineMs = 5000,
) {
  using deadline = new Deadline(deadlineMs);
  const tls = serverName === null ? null : { name: serverName, trust };
  const options = { addresses: at('127.0.0.1'), port, tls, isAllowed: () => true };
  let connected = { address: '', connectMs: 0 };
  const refusals: string[] = [];
  const notes = {
    onConnect: (address: string, connectMs: number) => {
      connected = { address, connectMs };
    },
    onRefusal: (address: string, code: string) => {
      refusals.push(`${address} ${code}`);
    },
  };
  const connection: Connection = await dial({ ...options, ...notes, ...changes }, deadline);
  return { ...connection, ...connected, refusals, [Symbol.dispose]: () => connection.socket.destroy() };
}

/** A port that was open and is closed now. */
/** Nothing listens there. */
const closedPort = 1;

test('a plain connection has a connect time and nothing about TLS', async t => {
  await using target = await startTarget();
  using connection = await dialPort(target.port);
  t.true(connection.connectMs > 0);
  t.deepEqual([connection.tlsMs, connection.tls], [null, null]);
  t.is(connection.socket.remotePort, target.port);
});

test('a TLS connection reports its protocol, its time and when the certificate expires', async t => {
  await using target = await startTarget(ok(), certificate);
  using connection = await dialPort(target.port, { serverName: 'localhost' });
  t.is(connection.tls?.protocol, 'TLSv1.3');
  t.true((connection.tlsMs ?? 0) > 0);
  const days = ((connection.tls?.validToMs ?? 0) - Date.now()) / 86_400_000;
  t.true(days > 59 && days <= 60);
});

for (const serverName of [null, 'localhost'])
  test(`the operator chooses the address of a connection ${serverName === null ? 'in clear' : 'by TLS'}`, async t => {
    await using target = await startTarget(ok(), serverName === null ? undefined : certificate);
    using connection = await dialPort(target.port, { serverName, source: { ipv4: '127.0.0.9', ipv6: '::1' } });
    t.is(connection.socket.localAddress, '127.0.0.9');
    const gone = dialPort(target.port, { serverName, source: { ipv4: '192.0.2.1', ipv6: null } });
    t.like(await t.throwsAsync(gone, { instanceOf: DialError }), { phase: 'connect', code: 'EADDRNOTAVAIL' });
  });

test('a certificate may be for the address itself', async t => {
  await using target = await startTarget(ok(), certificate);
  using connection = await dialPort(target.port, { serverName: '127.0.0.1' });
  t.not(connection.tls, null);
});

for (const [what, changes, code] of [
  ['for a different name', { serverName: 'other.test' }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['for a different address', { serverName: '127.0.0.2' }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['of an unknown authority', { serverName: 'localhost', trust: publicTrust }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
] as const)
  test(`a certificate ${what} fails in the phase tls`, async t => {
    await using target = await startTarget(ok(), certificate);
    const error = await t.throwsAsync(dialPort(target.port, changes), { instanceOf: DialError });
    t.like(error, { phase: 'tls', code });
    t.is(target.requests.length, 0);
  });

const wildcard = makeCertificate({ name: '*.wild.test' });
const wildcardFile = join(folder, 'wildcard.pem');
writeFileSync(wildcardFile, wildcard.authority);
for (const [serverName, made, valid] of [
  ['localhost.', certificate, true],
  ['LOCALHOST', certificate, true],
  ['a.localhost', certificate, false],
  ['::1', certificate, true],
  ['a.wild.test', wildcard, true],
  ['a.wild.test.', wildcard, true],
  ['a.b.wild.test', wildcard, false],
  ['wild.test', wildcard, false],
  ['.wild.test', wildcard, false],
] as const)
  test(`${made === wildcard ? 'a wildcard' : 'a'} certificate is ${valid ? '' : 'not '}for ${serverName}`, async t => {
    await using target = await startTarget(ok(), made);
    const trust = made === wildcard ? createTrust(wildcardFile) : testTrust;
    const dialed = dialPort(target.port, { serverName, trust });
    if (!valid) {
      await t.throwsAsync(dialed, { instanceOf: DialError, message: 'ERR_TLS_CERT_ALTNAME_INVALID' });
      return;
    }
    using connection = await dialed;
    t.true((connection.tls?.validToMs ?? 0) > Date.now());
  });

for (const [what, made, serverName, code] of [
  ['without alternative names', makeCertificate({ hasAlternativeNames: false }), 'localhost', 'ENOALTNAME'],
  ['of part of a label', makeCertificate({ name: 'a*.part.test' }), 'ab.part.test', 'ERR_TLS_CERT_ALTNAME_INVALID'],
] as const)
  test(`a certificate ${what} is for no name`, async t => {
    const file = join(folder, `${serverName}.pem`);
    writeFileSync(file, made.authority);
    await using target = await startTarget(ok(), made);
    const error = await t.throwsAsync(dialPort(target.port, { serverName, trust: createTrust(file) }));
    t.like(error, { phase: 'tls', code });
  });

test('a server that accepts hybrid groups alone is reached by a second handshake', async t => {
  await using target = await startTarget(ok(), { ...certificate, ecdhCurve: 'X25519MLKEM768' });
  using connection = await dialPort(target.port, { serverName: 'localhost' });
  t.is(connection.tls?.protocol, 'TLSv1.3');
  t.like((connection.socket as TLSSocket).getEphemeralKeyInfo(), { name: 'X25519MLKEM768' });
});

test('a server that shares nothing with us fails in the phase tls', async t => {
  await using target = await startTarget(ok(), { ...certificate, ecdhCurve: 'brainpoolP256r1tls13' });
  const error = await t.throwsAsync(dialPort(target.port, { serverName: 'localhost' }), { instanceOf: DialError });
  t.like(error, { phase: 'tls', code: 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE' });
});

test('a target that does not speak TLS fails in the phase tls', async t => {
  await using target = await startRawTarget(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const error = await t.throwsAsync(dialPort(target.port, { serverName: 'localhost' }), { instanceOf: DialError });
  t.is(error?.phase, 'tls');
});

test('a closed port is refused in the phase connect', async t => {
  const error = await t.throwsAsync(dialPort(closedPort), { instanceOf: DialError });
  t.like(error, { phase: 'connect', code: 'ECONNREFUSED' });
});

test('the address that was reached is checked again, and a forbidden one is never used', async t => {
  const reached: string[] = [];
  await using target = await startTarget();
  const isAllowed = (address: string) => {
    reached.push(address);
    return false;
  };
  const error = await t.throwsAsync(dialPort(target.port, { isAllowed }), { instanceOf: DialError });
  t.like(error, { phase: 'connect', code: 'EBLOCKED' });
  t.deepEqual(reached, ['127.0.0.1']);
});

test('a target that is silent during the handshake uses up the deadline', async t => {
  await using target = await startRawTarget(() => undefined);
  const silent = dialPort(target.port, { serverName: 'localhost' }, 100);
  await t.throwsAsync(silent, { instanceOf: DeadlineError });
});

test('of eight addresses the last one that answers is enough, and a ninth is not tried', async t => {
  await using target = await startTarget();
  const closed = (count: number) => Array.from({ length: count }, (_, index) => `127.0.0.${index + 2}`);
  using connection = await dialPort(target.port, { addresses: at(...closed(7), '127.0.0.1') });
  t.is(connection.address, '127.0.0.1');
  t.deepEqual(
    connection.refusals,
    closed(7).map(address => `${address} ECONNREFUSED`),
  );
  const error = await t.throwsAsync(dialPort(target.port, { addresses: at(...closed(8), '127.0.0.1') }));
  t.like(error, { code: 'ECONNREFUSED', address: '127.0.0.2' });
});

test('an address that is silent has the next one beside it, and is forgotten once that answers', async t => {
  await using deaf = await startDeafTarget();
  await using target = await startTarget(ok(), certificate, { port: deaf.port, host: '127.0.0.2' });
  const addresses = at('127.0.0.1', '127.0.0.2');
  using connection = await dialPort(target.port, { addresses, serverName: 'localhost' }, 20_000);
  t.is(connection.address, '127.0.0.2');
  t.deepEqual(connection.refusals, []);
  t.not(connection.tls, null);
});

test('if none answers the failure is that of the first address, and each address is told', async t => {
  await using deaf = await startDeafTarget();
  const refusals: string[] = [];
  const onRefusal = (address: string, code: string) => void refusals.push(`${address} ${code}`);
  const dialed = dialPort(deaf.port, { addresses: at('127.0.0.1', '127.0.0.3'), onRefusal }, 1000);
  t.like(await t.throwsAsync(dialed, { instanceOf: DialError }), { phase: 'connect', code: 'ETIMEDOUT' });
  t.deepEqual(refusals, ['127.0.0.3 ECONNREFUSED', '127.0.0.1 ETIMEDOUT']);
});

for (const [what, known, later, expected] of [
  ['are tried once the others refuse', ['127.0.0.9'], ['127.0.0.1'], '127.0.0.1'],
  ['are tried if no other is allowed', [], ['127.0.0.1'], '127.0.0.1'],
  ['may be none', ['127.0.0.9'], [], 'ECONNREFUSED'],
  ['may be none that is allowed', [], [], 'EBLOCKED'],
] as const)
  test(`addresses of a slower answer ${what}`, async t => {
    await using target = await startTarget();
    const answer = Promise.withResolvers<readonly string[]>();
    const onRefusal = () => answer.resolve(later);
    if (known.length === 0) answer.resolve(later);
    const addresses = { known, later: answer.promise };
    const dialed = dialPort(target.port, { addresses, onRefusal }).catch(error => ({
      ...error,
      [Symbol.dispose]: () => undefined,
    }));
    using connection = await dialed;
    t.is(connection.code ?? connection.address, expected);
  });

test('no address at all is a blocked one, at once or with the deadline', async t => {
  const never = { known: [], later: new Promise<never>(() => undefined) };
  for (const addresses of [at(), never])
    t.like(await t.throwsAsync(dialPort(1, { addresses }, 100)), { phase: 'connect', code: 'EBLOCKED', address: null });
});

test('a distinguished name is one line of bounded length without control characters, the common name first', t => {
  t.is(nameText('C=US\nO=Example CA\nCN=R3'), 'CN=R3, O=Example CA, C=US');
  t.is(nameText('CN=a\u0007\u0000b'), 'CN=a  b');
  t.is(nameText(undefined), '');
  t.is(nameText(`CN=${'x'.repeat(1000)}`).length, 256);
});
