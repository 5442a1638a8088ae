import { createPrivateKey, X509Certificate } from 'node:crypto';

const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----/g;

/** Whether a text is one certificate or more as PEM, and nothing that cannot be read. */
export function isCertificates(text: string, countMax: number): boolean {
  const blocks = text.match(block) ?? [];
  return blocks.length > 0 && blocks.length <= countMax && blocks.every(pem => certificateOf(pem) !== null);
}

/** What is wrong with a client's certificate and its key; null if they fit. */
export function pairFault({ certificate, private_key: key }: { certificate: string | null; private_key: string }) {
  const first = certificateOf((certificate ?? key).match(block)?.[0] ?? '');
  if (first === null) return 'must have the certificate as well, as `certificate` is null';
  try {
    return first.checkPrivateKey(createPrivateKey(key)) ? null : 'must be the private key of the certificate';
  } catch {
    return 'must be a private key as PEM, without a passphrase';
  }
}

/** What the first certificate of a text says. */
export function certificateFacts(text: string): { subject: string; valid_to: string; fingerprint_sha256: string } {
  const certificate = certificateOf(text.match(block)?.[0] ?? '');
  return {
    subject: (certificate?.subject ?? '').split('\n').toReversed().join(', '),
    valid_to: certificate?.validToDate.toISOString() ?? '',
    fingerprint_sha256: (certificate?.fingerprint256 ?? '').replaceAll(':', '').toLowerCase(),
  };
}

function certificateOf(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}
