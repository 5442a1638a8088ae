import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import { ofClient, type ShownCertificate } from '../../certificates/certificate.ts';
import type { CertificateWatch, ExpiryKind } from '../../monitors/state/state.ts';
import type { AlertReason } from '../alert.ts';

/** Since when answers are counted, and for how long the certificate has alternated with a good one. */
type Seen = { at: number } & Partial<Pick<CertificateWatch, 'answers' | 'flappingSince'>>;

/** Of an alert about an end. */
export function reasonOf(
  kind: ExpiryKind,
  url: string,
  regions: readonly string[],
  shown: ShownCertificate | undefined,
  seen: Seen,
): AlertReason {
  return kind === 'domain' ? domainReason(url, regions, shown, seen) : certificateReason(url, regions, shown, seen);
}

/** Which domain ends when, and with whom it is registered. Its end stands as that of a certificate does. */
function domainReason(
  url: string,
  regions: readonly string[],
  domain: ShownCertificate | undefined,
  { at }: Seen,
): AlertReason {
  const name = domain?.subject ?? (URL.canParse(url) ? new URL(url).host : 'the monitor');
  const registrar = domain?.issuer === undefined ? '' : `, registered with ${domain.issuer},`;
  const end = domain === undefined ? 'soon' : `at ${domain.valid_to}`;
  return {
    ...nothing,
    ...endOf(domain, at),
    summary: `the domain ${name}${registrar} expires ${end}`,
    region: regions[0] ?? null,
  };
}

/**
 * Which certificate ends when, of which host (after a redirect it need not be the monitor's) and where it was seen. The
 * first region is the one that it is described by.
 */
function certificateReason(
  url: string,
  regions: readonly string[],
  certificate: ShownCertificate | undefined,
  { at, answers = null, flappingSince = null }: Seen,
): AlertReason {
  const host = certificate?.host ?? (URL.canParse(url) ? new URL(url).host : 'the monitor');
  const whose = host === ofClient ? `Client certificate ${certificate?.subject ?? ''}` : `the certificate of ${host}`;
  const issuer =
    certificate?.issuer === undefined || certificate.issuer === '' ? '' : `, issued by ${certificate.issuer},`;
  const end = certificate === undefined ? 'soon' : `at ${certificate.valid_to}`;
  const where = regions.length === 0 ? '' : ` (seen in ${regions.join(', ')})`;
  const until = toTimestamp(at);
  const share =
    answers === null || flappingSince === null
      ? ''
      : `: ${answers.bad} of ${answers.total} answers from ${toTimestamp(answers.since)} to ${until} carry it`;
  return {
    ...nothing,
    ...endOf(certificate, at),
    summary: `${whose}${issuer} expires ${end}${where}${share}`,
    region: regions[0] ?? null,
  };
}

const nothing = { expected: null, status_code: null, error_code: null };

function endOf(shown: ShownCertificate | undefined, at: number): Pick<AlertReason, 'actual'> {
  return { actual: shown === undefined ? null : daysText((Date.parse(shown.valid_to) - at) / dayMs) };
}

export function daysText(days: number): string {
  return `${days.toFixed(1)} days left`;
}
