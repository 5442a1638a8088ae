import { X509Certificate } from 'node:crypto';
import type { ClientCertificate } from '#shared/checks/facts.ts';
import { toTimestamp } from '#shared/clock.ts';
import { unverifiedFacts } from '../certificate-facts.ts';

/** Settings stay the same object from check to check: their certificate is read once. */
const known = new WeakMap<object, { facts: ClientCertificate | null }>();

/** What the certificate says that checks show; null if it cannot be read, or its dates are none. */
export function clientCertificateOf(pair: { certificate: string }): ClientCertificate | null {
  const found = known.get(pair) ?? { facts: read(pair.certificate) };
  known.set(pair, found);
  return found.facts;
}

function read(pem: string): ClientCertificate | null {
  const block = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/.exec(pem)?.[0] ?? '';
  try {
    const facts = unverifiedFacts(new X509Certificate(block));
    if (facts === null) return null;
    const { validFromMs, validToMs, issuer, subject, fingerprint } = facts;
    const [from, to] = [toTimestamp(validFromMs), toTimestamp(validToMs)];
    return { valid_from: from, valid_to: to, issuer, subject, fingerprint_sha256: fingerprint };
  } catch {
    return null;
  }
}
