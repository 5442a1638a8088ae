import type { CheckStatus } from '#shared/check-result.ts';
import { describeDiagnosis } from '#shared/checks/diagnosis.ts';
import type { ResultDetail } from '../checks/result.ts';
import type { AlertReason } from './alert.ts';

/** The part of a failed result that a reason is made of. `warnOn`: indexes of the assertions that only warn. */
export type FailedResult = {
  region: string;
  status: CheckStatus;
  status_code: number | null;
  detail: ResultDetail;
  warnOn?: readonly number[];
};

/** The name of the step that ended a check: the first that failed. Null where none did. */
function failedStepOf({ facts }: Pick<ResultDetail, 'facts'>): string | null {
  return facts?.steps?.find(({ status }) => status === 'err')?.name ?? null;
}

/**
 * What failed, with what answered in place of the target if that is known; without a result only that the quorum
 * failed.
 */
export function reasonOf(failed: FailedResult | null, kind: 'down' | 'degraded' = 'down'): AlertReason {
  if (failed === null)
    return {
      summary:
        kind === 'down'
          ? 'checks are failing in a quorum of regions'
          : 'a quorum of regions reports warnings or failures',
      region: null,
      expected: null,
      actual: null,
      status_code: null,
      error_code: null,
    };
  const reason = failureOf(failed);
  const { diagnosis: stored } = failed.detail.facts ?? {};
  if (stored === undefined) return reason;
  const { kind: found, provider, confidence } = stored;
  const summary = `${reason.summary} (${describeDiagnosis(stored)})`;
  return { ...reason, summary, diagnosis: { kind: found, provider, confidence } };
}

/** The error, or the failed assertion if there is none. */
function failureOf(failed: FailedResult): AlertReason {
  const { region, status_code, detail } = failed;
  const assertion = decisiveOf(failed);
  const name = failedStepOf(detail);
  const step = name === null ? {} : { step: name };
  if (detail.error !== null || assertion === undefined) {
    const summary = detail.error?.message ?? warningOf(failed);
    const { code = null, phase, host } = detail.error ?? {};
    const reason = { summary, region, expected: null, actual: null, status_code, error_code: code, ...step };
    return phase === undefined ? reason : { ...reason, phase, host: host ?? null };
  }
  const { expected, actual, type } = assertion;
  if (type === 'measured') {
    const summary = `${actual}, expected ${expected}`;
    return { summary, region, expected, actual, status_code, error_code: `assertion:${type}` };
  }
  const summary = `expected ${expected}, got ${actual ?? 'nothing'}`;
  return { summary, region, expected, actual, status_code, error_code: null, ...step };
}

/** The first assertion that failed, and of a failed check the first that made it fail: others only warn. */
function decisiveOf({ status, detail, warnOn = [] }: FailedResult): ResultDetail['assertions'][number] | undefined {
  const failed = detail.assertions.filter(({ passed }) => passed === false);
  if (status !== 'err') return failed[0];
  return failed.find(({ type, index }) => type !== 'latency_p95' && !warnOn.includes(index)) ?? failed[0];
}

/** Without a failed assertion only a certificate that ends soon makes a check warn. */
function warningOf({ status, detail: { tls } }: FailedResult): string {
  if (status !== 'warn' || tls === null) return 'the check failed';
  return `the certificate ends in ${tls.days_left} ${tls.days_left === 1 ? 'day' : 'days'}`;
}
