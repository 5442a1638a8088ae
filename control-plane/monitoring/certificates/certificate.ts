import type { StoredResult, TlsDetail } from '#shared/check-result.ts';
import { dayMs } from '#shared/duration.ts';
import type { Severity } from '#shared/vocabulary.ts';
import type { CertificateWarning, ExpiryRules } from '../monitors/alert-rules.ts';
import type { CertificateFact } from '../monitors/state/state.ts';

type Threshold = { leftMs: number; severity: Severity };

const longestDefaultMs = 14 * dayMs;

/** What messages say of a certificate. */
export type ShownCertificate = Pick<TlsDetail, 'valid_to' | 'issuer' | 'subject' | 'fingerprint_sha256' | 'host'>;

/** Stands for the host of a client's own certificate; no host is called so. */
export const ofClient = 'client certificate';

/** What of a result is about certificates. */
export type WithCertificates = Pick<StoredResult, 'tls' | 'facts'>;

type Thresholds = ExpiryRules['thresholds'];

/**
 * Of the certificates of all hosts that a check came to, and its own as a client, the one that is nearest to its first
 * threshold. Null if there is none, or its agent does not say since when it is valid.
 */
export function mostUrgent(
  result: WithCertificates,
  at: number,
  thresholds: Thresholds = null,
): { fact: CertificateFact; certificate: ShownCertificate } | null {
  const seen = certificatesOf(result).flatMap(certificate => {
    const fact = readFact(certificate, at);
    if (fact === null) return [];
    const first = thresholdsOf(thresholds, fact)[0]?.leftMs ?? 0;
    return [{ fact, certificate, leftMs: fact.validTo - at - first }];
  });
  return seen.toSorted((left, right) => left.leftMs - right.leftMs)[0] ?? null;
}

/** What is remembered of it. */
export function factOf(result: WithCertificates, at: number, thresholds: Thresholds = null): CertificateFact | null {
  return mostUrgent(result, at, thresholds)?.fact ?? null;
}

/** The hosts whose certificates a check saw; undefined stands for that of the monitor's URL. */
export function hostsOf(result: WithCertificates): (string | undefined)[] {
  return certificatesOf(result).map(({ host }) => host);
}

function certificatesOf({ tls, facts }: WithCertificates): (ShownCertificate & { valid_from?: string | undefined })[] {
  const own = facts?.client_certificate;
  return [
    ...(tls === null ? [] : [tls, ...(tls.earlier ?? [])]),
    ...(own === undefined ? [] : [{ ...own, host: ofClient }]),
  ];
}

function readFact(
  { valid_from, valid_to, host }: Pick<TlsDetail, 'valid_from' | 'valid_to' | 'host'>,
  at: number,
): CertificateFact | null {
  if (valid_from === undefined) return null;
  const validFrom = Date.parse(valid_from);
  const validTo = Date.parse(valid_to);
  if (!Number.isFinite(validFrom) || !Number.isFinite(validTo)) return null;
  return { at, validFrom, validTo, ...(host === undefined ? {} : { host }) };
}

/** The thresholds that hold for a certificate, in descending order. The default one depends on its life. */
export function thresholdsOf(
  thresholds: Thresholds,
  { validFrom, validTo }: Pick<CertificateFact, 'validFrom' | 'validTo'>,
): Threshold[] {
  if (thresholds !== null)
    return thresholds.map(({ days_left, severity }) => ({ leftMs: days_left * dayMs, severity }));
  return [{ leftMs: Math.min(longestDefaultMs, (validTo - validFrom) / 3), severity: 'p3' }];
}

/** The thresholds that a certificate was at or under. */
export function crossedBy(thresholds: Thresholds, fact: CertificateFact): Threshold[] {
  return thresholdsOf(thresholds, fact).filter(({ leftMs }) => fact.validTo - fact.at <= leftMs);
}

/** Whether a good check warns because of its certificate. */
export function warns(warning: CertificateWarning, fact: CertificateFact | null): boolean {
  return warning !== null && fact !== null && crossedBy(warning.thresholds, fact).length > 0;
}
