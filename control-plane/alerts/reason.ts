import type { ResultDetail } from '../checks/result.ts';
import type { AlertReason } from './alert.ts';

/** A failed result as far as a reason needs it. */
export type FailedResult = { region: string; status_code: number | null; detail: ResultDetail };

/** The first failed assertion, else the error; without any result only that the quorum is down. */
export function reasonOf(failed: FailedResult | null): AlertReason {
  if (failed === null)
    return {
      summary: 'too many regions fail',
      region: null,
      expected: null,
      actual: null,
      status_code: null,
      error_code: null,
    };
  const { region, status_code, detail } = failed;
  const assertion = detail.assertions.find(outcome => outcome.passed === false);
  if (detail.error !== null || assertion === undefined) {
    const summary = detail.error?.message ?? 'the check failed';
    return { summary, region, expected: null, actual: null, status_code, error_code: detail.error?.code ?? null };
  }
  const summary = `expected ${assertion.expected}, got ${assertion.actual ?? 'nothing'}`;
  return { summary, region, expected: assertion.expected, actual: assertion.actual, status_code, error_code: null };
}
