import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import { daysText } from '../../monitoring/alerts/certificates/reason.ts';
import type { AlertRow } from '../../monitoring/alerts/store.ts';
import { mostUrgent, ofClient, thresholdsOf } from '../../monitoring/certificates/certificate.ts';
import { type ResultRow, viewResult } from '../../monitoring/checks/result.ts';
import type { AlertRules, ExpiryRules } from '../../monitoring/monitors/alert-rules.ts';
import type { CertificateFact } from '../../monitoring/monitors/state/state.ts';
import type { ExplainedCertificate, ExplainedDomain, Explanation } from './explanation.ts';

/** Pure: certificates with the thresholds that held for them. */
export function explainCertificates(rows: readonly ResultRow[], rules: AlertRules | null): ExplainedCertificate[] {
  return rows.flatMap(row => {
    const at = Math.min(row.completed_at, row.received_at);
    const urgent = mostUrgent(row.detail, at, rules?.certificate.thresholds);
    if (urgent === null) return [];
    const { fact, certificate } = urgent;
    return [
      {
        region: row.region,
        as_of: toTimestamp(fact.at),
        valid_from: toTimestamp(fact.validFrom),
        valid_to: toTimestamp(fact.validTo),
        days_left: (fact.validTo - fact.at) / dayMs,
        issuer: certificate.issuer ?? null,
        subject: certificate.subject ?? null,
        fingerprint_sha256: certificate.fingerprint_sha256 ?? null,
        of: certificate.host === ofClient ? ('client' as const) : ('server' as const),
        ...(certificate.host === undefined || certificate.host === ofClient ? {} : { host: certificate.host }),
        thresholds: explainThresholds(rules?.certificate.thresholds ?? null, fact),
        check: viewResult(row),
      },
    ];
  });
}

export function explainThresholds(
  thresholds: ExpiryRules['thresholds'],
  fact: CertificateFact,
): ExplainedCertificate['thresholds'] {
  return thresholdsOf(thresholds, fact).map(({ leftMs, severity }) => ({
    days_left: leftMs / dayMs,
    severity,
    crossed: fact.validTo - fact.at <= leftMs,
  }));
}

export function certificateSentence(
  { opened_at, reason }: Pick<AlertRow, 'opened_at' | 'reason'>,
  certificates: readonly ExplainedCertificate[],
): string {
  const first = certificates.find(({ as_of }) => Date.parse(as_of) === opened_at);
  const at = toTimestamp(opened_at);
  if (first === undefined) return `Since ${at}: ${reason.summary}.`;
  const limit = limitText(first);
  const others = certificates
    .filter(certificate => certificate !== first)
    .map(({ region, days_left }) => `${region} ${daysText(days_left)}`);
  const rest = others.length === 0 ? '' : ` Others then: ${others.join('; ')}.`;
  const whose = first.of === 'client' ? 'client ' : '';
  const left = `${daysText(first.days_left)} in ${first.region} at ${at}`;
  return `The ${whose}certificate expires at ${first.valid_to}: ${left}${limit}.${rest}`;
}

export function domainSentence(
  { opened_at, reason }: Pick<AlertRow, 'opened_at' | 'reason'>,
  domain: ExplainedDomain | null,
): string {
  const at = toTimestamp(opened_at);
  if (domain === null || domain.as_of !== at) return `Since ${at}: ${reason.summary}.`;
  const { name, ends_at, days_left } = domain;
  return `The domain ${name} expires at ${ends_at}: ${daysText(days_left)} at ${at}${limitText(domain)}.`;
}

function limitText({ thresholds }: Pick<ExplainedCertificate, 'thresholds'>): string {
  const lowest = thresholds.findLast(({ crossed }) => crossed);
  return lowest === undefined ? '' : `, at or under the threshold of ${days(lowest.days_left)}`;
}

export function missingOfExpiry(
  what: 'certificates' | 'domain',
  isKnown: boolean,
  rules: AlertRules | null,
): Explanation['missing'] {
  return [
    ...(isKnown ? [] : [{ what, why: 'raw results are kept for 30 days' }]),
    ...(rules === null ? [{ what: 'alert_rules', why: 'versions are kept for 31 days' }] : []),
  ];
}

function days(count: number): string {
  const rounded = Number(count.toFixed(2));
  return `${rounded} ${rounded === 1 ? 'day' : 'days'}`;
}
