import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate for localhost, 127.0.0.1 and ::1, and the authority that signed it, all in PEM. */
export type TestCertificate = { key: string; cert: string; authority: string };

/** Makes an authority of its own and a certificate signed by it. */
export function makeCertificate(options: { days?: number; name?: string } = {}): TestCertificate {
  const { days = 60, name = 'localhost' } = options;
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-certificate-'));
  const openssl = (...parameters: string[]) => execFileSync('openssl', parameters, { cwd: folder, stdio: 'pipe' });
  try {
    for (const key of ['ca', 'leaf'])
      openssl('ecparam', '-genkey', '-name', 'prime256v1', '-noout', '-out', `${key}.key`);
    openssl('req', '-x509', '-new', '-key', 'ca.key', '-days', '90', '-subj', '/CN=test authority', '-out', 'ca.pem');
    openssl('req', '-new', '-key', 'leaf.key', '-subj', `/CN=${name}`, '-out', 'leaf.csr');
    writeFileSync(join(folder, 'names'), `subjectAltName=DNS:${name},IP:127.0.0.1,IP:::1`);
    openssl(
      ...['x509', '-req', '-in', 'leaf.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-days', String(days), '-extfile', 'names', '-out', 'leaf.pem'],
    );
    const read = (file: string) => readFileSync(join(folder, file), 'utf8');
    return { key: read('leaf.key'), cert: read('leaf.pem'), authority: read('ca.pem') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
