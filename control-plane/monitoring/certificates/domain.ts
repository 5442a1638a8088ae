import type { DomainFacts } from '#shared/checks/facts.ts';
import type { CertificateFact } from '../monitors/state/state.ts';
import type { ShownCertificate } from './certificate.ts';

/**
 * What a lookup says of the end of a domain, in the shape of a certificate: issued by its registrar, for its name. Null
 * if it failed, as what it shows then is of an earlier one, or if the registry names no end.
 */
export function domainEnd(
  { domain, code }: { domain: DomainFacts | null | undefined; code: string | null },
  at: number,
): { fact: CertificateFact; certificate: ShownCertificate } | null {
  if (domain == null || domain.ends_at === null || code === 'lookup_failed') return null;
  const validTo = Date.parse(domain.ends_at);
  if (!Number.isFinite(validTo)) return null;
  const validFrom = domain.registered_at === null ? Number.NaN : Date.parse(domain.registered_at);
  const { name, registrar, ends_at } = domain;
  return {
    fact: { at, validFrom: Number.isFinite(validFrom) ? validFrom : at, validTo },
    certificate: { valid_to: ends_at, subject: name, ...(registrar === null ? {} : { issuer: registrar }) },
  };
}
