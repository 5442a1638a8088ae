import type { TlsDetail } from '#shared/check-result.ts';
import { dayMs } from '#shared/duration.ts';
import type { Severity } from '#shared/vocabulary.ts';
import type { CertificateRules, CertificateWarning } from '../monitors/alert-rules.ts';
import type { CertificateFact } from '../monitors/state.ts';

type Threshold = { leftMs: number; severity: Severity };

const longestDefaultMs = 14 * dayMs;

/** Null if the check saw no certificate, or its agent does not say since when it is valid. */
export function factOf(tls: TlsDetail | null, at: number): CertificateFact | null {
  if (tls?.valid_from === undefined) return null;
  const validFrom = Date.parse(tls.valid_from);
  const validTo = Date.parse(tls.valid_to);
  return Number.isFinite(validFrom) && Number.isFinite(validTo) ? { at, validFrom, validTo } : null;
}

/** The thresholds that hold for a certificate, in descending order. The default one depends on its life. */
export function thresholdsOf(
  thresholds: CertificateRules['thresholds'],
  { validFrom, validTo }: Pick<CertificateFact, 'validFrom' | 'validTo'>,
): Threshold[] {
  if (thresholds !== null)
    return thresholds.map(({ days_left, severity }) => ({ leftMs: days_left * dayMs, severity }));
  return [{ leftMs: Math.min(longestDefaultMs, (validTo - validFrom) / 3), severity: 'p3' }];
}

/** The thresholds that a certificate was at or under. */
export function crossedBy(thresholds: CertificateRules['thresholds'], fact: CertificateFact): Threshold[] {
  return thresholdsOf(thresholds, fact).filter(({ leftMs }) => fact.validTo - fact.at <= leftMs);
}

/** Whether a good check warns because of its certificate. */
export function warns(warning: CertificateWarning, fact: CertificateFact | null): boolean {
  return warning !== null && fact !== null && crossedBy(warning.thresholds, fact).length > 0;
}
