import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { ShownCertificate } from '../../certificates/certificate.ts';
import type { CertificateWatch } from '../../monitors/state/state.ts';
import type { AlertReason } from '../alert.ts';

/** Since when answers are counted, and for how long the certificate has alternated with a good one. */
type Seen = { at: number } & Partial<Pick<CertificateWatch, 'answers' | 'flappingSince'>>;

/**
 * Which certificate ends when, of which host (after a redirect it need not be the monitor's) and where it was seen. The
 * first region is the one that it is described by.
 */
export function certificateReason(
  url: string,
  regions: readonly string[],
  certificate: ShownCertificate | undefined,
  { at, answers = null, flappingSince = null }: Seen,
): AlertReason {
  const host = certificate?.host ?? (URL.canParse(url) ? new URL(url).host : 'the monitor');
  const issuer =
    certificate?.issuer === undefined || certificate.issuer === '' ? '' : `, issued by ${certificate.issuer},`;
  const end = certificate === undefined ? 'soon' : `at ${certificate.valid_to}`;
  const where = regions.length === 0 ? '' : ` (seen in ${regions.join(', ')})`;
  const left = certificate === undefined ? null : (Date.parse(certificate.valid_to) - at) / dayMs;
  const until = toTimestamp(at);
  const share =
    answers === null || flappingSince === null
      ? ''
      : `: ${answers.bad} of ${answers.total} answers from ${toTimestamp(answers.since)} to ${until} carry it`;
  return {
    summary: `the certificate of ${host}${issuer} expires ${end}${where}${share}`,
    region: regions[0] ?? null,
    expected: null,
    actual: left === null ? null : daysText(left),
    status_code: null,
    error_code: null,
  };
}

export function daysText(days: number): string {
  return `${days.toFixed(1)} days left`;
}
