import type { StoredResult } from '#shared/check-result.ts';

/** Pure: the code of the error that ended a check, or `assertion:` with the type of the one that failed. */
export function failureReason({ error, assertions }: FailedCheck): string {
  if (error !== null) return error.code;
  const failed = assertions.filter(assertion => assertion.passed === false);
  // The percentile only warns, so it is not what failed if there is another.
  const decisive = failed.find(({ type }) => type !== 'latency_p95') ?? failed[0];
  return `assertion:${decisive?.type ?? 'unknown'}`;
}

type FailedCheck = {
  error: { code: string } | null;
  assertions: readonly Pick<StoredResult['assertions'][number], 'type' | 'passed'>[];
};
