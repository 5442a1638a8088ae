import { hash, type X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { wireLimits } from '#shared/check-result.ts';

/** What a certificate says: names as one line each, the fingerprint as 64 hexadecimal digits. */
export type CertificateFacts = {
  validFromMs: number;
  validToMs: number;
  issuer: string;
  subject: string;
  fingerprint: string;
};

/** By fingerprint and name: nearly every check sees the certificate of the one before, and reading it takes 40 µs. */
const known = new LRUCache<string, { facts: CertificateFacts | null }>({ max: 1000 });

/** What the certificate says; null if it is not for that name or address. Its dates and issuer are not verified. */
export function factsFor(certificate: X509Certificate, name: string): CertificateFacts | null {
  const fingerprint = hash('sha256', certificate.raw, 'hex');
  const key = `${fingerprint} ${name}`;
  const found = known.get(key);
  if (found !== undefined) return found.facts;
  const facts = isFor(certificate, name) ? read(certificate, fingerprint) : null;
  known.set(key, { facts });
  return facts;
}

/** What a certificate says that is for another name, or was not verified; null if its dates are none. */
export function unverifiedFacts(certificate: X509Certificate): CertificateFacts | null {
  const facts = read(certificate, hash('sha256', certificate.raw, 'hex'));
  return Number.isNaN(facts.validFromMs) || Number.isNaN(facts.validToMs) ? null : facts;
}

function read(certificate: X509Certificate, fingerprint: string): CertificateFacts {
  return {
    validFromMs: certificate.validFromDate.getTime(),
    validToMs: certificate.validToDate.getTime(),
    issuer: nameText(certificate.issuer),
    subject: nameText(certificate.subject),
    fingerprint,
  };
}

/** A distinguished name on one line, the common name first, as people look for it. */
export function nameText(name: string | undefined): string {
  const parts = (name ?? '').split('\n').toReversed();
  return parts
    .join(', ')
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, wireLimits.tlsName)
    .toWellFormed();
}

// As browsers have it and RFC 9525: no common name, and no wildcard within a label.
const checkOptions = { subject: 'never', partialWildcards: false } as const;

/** By OpenSSL: one of the alternative names. */
function isFor(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  // OpenSSL takes a leading dot for "any name below".
  return !name.startsWith('.') && certificate.checkHost(name.replace(/\.$/, ''), checkOptions) !== undefined;
}
