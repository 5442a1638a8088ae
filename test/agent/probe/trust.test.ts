import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
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
  await t.throwsAsync(handshake(target.port, createTrust(null).classic), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  const socket = await handshake(target.port, createTrust(authorityFile).classic);
  const { authorized } = socket;
  socket.destroy();
  t.true(authorized);
});

test('a missing file is an error at the start', t => {
  t.throws(() => createTrust(join(folder, 'missing.pem')), { code: 'ENOENT' });
});

for (const [accepted, offered, used] of [
  // OpenSSL's own choice, by which a server asks for a hybrid group with every client that offers one.
  ['auto', 'classic', 'X25519'],
  ['auto', 'hybrid', 'X25519MLKEM768'],
  ['X25519', 'hybrid', 'X25519'],
] as const)
  test(`a ${offered} handshake with a server that accepts ${accepted} uses ${used}`, async t => {
    const server = createServer({ ...certificate, ecdhCurve: accepted }, socket => socket.resume());
    t.teardown(() => server.close());
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const socket = await handshake(port, createTrust(authorityFile)[offered]);
    t.teardown(() => socket.destroy());
    t.like(socket.getEphemeralKeyInfo(), { name: used });
  });
