import type { StoredResult } from '#shared/check-result.ts';

/** Pure: the code of the error that ended a check, or `assertion:` with the type of the one that failed. */
export function failureReason({ error, assertions, warnOn = [] }: FailedCheck): string {
  if (error !== null) return error.code;
  const failed = assertions.filter(assertion => assertion.passed === false);
  // One that only warns is not what failed if there is another.
  const decisive = failed.find(({ type, index }) => type !== 'latency_p95' && !warnOn.includes(index)) ?? failed[0];
  return `assertion:${decisive?.type ?? 'unknown'}`;
}

/** `warnOn`: indexes of the assertions that only warn in the version of the check. */
type FailedCheck = {
  error: { code: string } | null;
  assertions: readonly Pick<StoredResult['assertions'][number], 'type' | 'index' | 'passed'>[];
  warnOn?: readonly number[];
};
