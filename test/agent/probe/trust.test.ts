import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type SecureContext, type TLSSocket } from 'node:tls';
import test from 'ava';
import { createTrust } from '#agent/probe/trust.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { ok, startTarget } from '../../support/target.ts';

const folder = mkdtempSync(join(tmpdir(), 'upquorum-trust-'));
test.after.always(() => rmSync(folder, { recursive: true }));
const certificate = makeCertificate();
const authorityFile = join(folder, 'authority.pem');
writeFileSync(authorityFile, certificate.authority);

/** Whether a client with this trust accepts the test certificate, and the socket it used. */
function handshake(port: number, secureContext: SecureContext): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', secureContext }, () => resolve(socket));
    socket.on('error', reject);
  });
}

test('a private authority is trusted only if its file is configured', async t => {
  await using target = await startTarget(ok(), certificate);
  await t.throwsAsync(handshake(target.port, createTrust(null)), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  const socket = await handshake(target.port, createTrust(authorityFile));
  const { authorized } = socket;
  socket.destroy();
  t.true(authorized);
});

test('a missing file is an error at the start', t => {
  t.throws(() => createTrust(join(folder, 'missing.pem')), { code: 'ENOENT' });
});

test('the handshake uses X25519, also with a server that prefers a hybrid group', async t => {
  const server = createServer({ ...certificate, ecdhCurve: 'X25519MLKEM768:X25519' }, socket => socket.resume());
  t.teardown(() => server.close());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP port');
  const socket = await handshake(address.port, createTrust(authorityFile));
  t.teardown(() => socket.destroy());
  t.like(socket.getEphemeralKeyInfo(), { name: 'X25519' });
});
