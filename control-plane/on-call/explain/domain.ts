import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import { domainEnd } from '../../monitoring/certificates/domain.ts';
import { type ResultRow, viewResult } from '../../monitoring/checks/result.ts';
import type { AlertRules } from '../../monitoring/monitors/alert-rules.ts';
import { explainThresholds } from './certificate.ts';
import type { ExplainedDomain } from './explanation.ts';

/** Pure: what a lookup says of the end of the domain; null if it says nothing. */
export function endOfDomain({ detail }: Pick<ResultRow, 'detail'>, at: number): ReturnType<typeof domainEnd> {
  return domainEnd({ domain: detail.facts?.domain, code: detail.error?.code ?? null }, at);
}

/** Pure: the end of the domain with the thresholds that held for it. */
export function explainDomain(rows: readonly ResultRow[], rules: AlertRules | null): ExplainedDomain | null {
  const [row] = rows;
  if (row === undefined) return null;
  const end = endOfDomain(row, Math.min(row.completed_at, row.received_at));
  if (end === null) return null;
  const { fact, certificate: domain } = end;
  return {
    as_of: toTimestamp(fact.at),
    name: domain.subject ?? '',
    registrar: domain.issuer ?? null,
    ends_at: toTimestamp(fact.validTo),
    days_left: (fact.validTo - fact.at) / dayMs,
    thresholds: explainThresholds(rules?.domain.thresholds ?? null, fact),
    check: viewResult(row),
  };
}
