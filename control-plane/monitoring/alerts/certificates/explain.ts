import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import { mostUrgent, thresholdsOf } from '../../certificates/certificate.ts';
import { type ResultRow, viewResult } from '../../checks/result.ts';
import type { AlertRules } from '../../monitors/alert-rules.ts';
import type { ExplainedCertificate, Explanation } from '../explain/explanation.ts';
import type { AlertRow } from '../store.ts';
import { daysText } from './reason.ts';

/** Pure: certificates with the thresholds that held for them. */
export function explainCertificates(rows: readonly ResultRow[], rules: AlertRules | null): ExplainedCertificate[] {
  return rows.flatMap(row => {
    const at = Math.min(row.completed_at, row.received_at);
    const urgent = mostUrgent(row.detail.tls, at, rules?.certificate.thresholds);
    if (urgent === null) return [];
    const { fact, certificate } = urgent;
    const leftMs = fact.validTo - fact.at;
    return [
      {
        region: row.region,
        as_of: toTimestamp(fact.at),
        valid_from: toTimestamp(fact.validFrom),
        valid_to: toTimestamp(fact.validTo),
        days_left: leftMs / dayMs,
        issuer: certificate.issuer ?? null,
        subject: certificate.subject ?? null,
        fingerprint_sha256: certificate.fingerprint_sha256 ?? null,
        ...(certificate.host === undefined ? {} : { host: certificate.host }),
        thresholds: thresholdsOf(rules?.certificate.thresholds ?? null, fact).map(threshold => ({
          days_left: threshold.leftMs / dayMs,
          severity: threshold.severity,
          crossed: leftMs <= threshold.leftMs,
        })),
        check: viewResult(row),
      },
    ];
  });
}

export function certificateSentence(
  { opened_at, reason }: Pick<AlertRow, 'opened_at' | 'reason'>,
  certificates: readonly ExplainedCertificate[],
): string {
  const first = certificates.find(({ as_of }) => Date.parse(as_of) === opened_at);
  const at = toTimestamp(opened_at);
  if (first === undefined) return `Since ${at}: ${reason.summary}.`;
  const lowest = first.thresholds.findLast(({ crossed }) => crossed);
  const limit = lowest === undefined ? '' : `, at or under the threshold of ${days(lowest.days_left)}`;
  const others = certificates
    .filter(certificate => certificate !== first)
    .map(({ region, days_left }) => `${region} ${daysText(days_left)}`);
  const rest = others.length === 0 ? '' : ` Others then: ${others.join('; ')}.`;
  const left = `${daysText(first.days_left)} in ${first.region} at ${at}`;
  return `The certificate expires at ${first.valid_to}: ${left}${limit}.${rest}`;
}

export function missingCertificates(
  certificates: readonly ExplainedCertificate[],
  rules: AlertRules | null,
): Explanation['missing'] {
  return [
    ...(certificates.length === 0 ? [{ what: 'certificates', why: 'raw results are kept for 30 days' }] : []),
    ...(rules === null ? [{ what: 'alert_rules', why: 'versions are kept for 31 days' }] : []),
  ];
}

function days(count: number): string {
  const rounded = Number(count.toFixed(2));
  return `${rounded} ${rounded === 1 ? 'day' : 'days'}`;
}
