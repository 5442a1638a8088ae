import { type Assertion, onlyWarns } from '#shared/assertions/assertion.ts';
import { decideRun } from '#shared/assertions/decide-kinds.ts';
import { describeExpectation, showValue } from '#shared/assertions/describe.ts';
import type { Accepted } from '../checks/intake/prepare.ts';

/** Pure: a success with what is asserted of the length of its run. A failure is one without that. */
export function withRun(item: Accepted, assertions: readonly Assertion[]): Accepted {
  const { result } = item;
  const signal = result.facts?.signal;
  if (signal?.type !== 'success' || result.error !== null) return item;
  const decided = assertions.flatMap((assertion, index) => {
    if (assertion.type !== 'run_seconds') return [];
    const { passed, actual, skipped } = decideRun(assertion, signal.run_seconds);
    const outcome = {
      index,
      type: assertion.type,
      passed,
      expected: describeExpectation(assertion),
      actual: showValue(actual),
      ...(skipped === undefined ? {} : { skipped }),
    };
    return [{ outcome, weight: onlyWarns(assertion) ? 'warn' : 'err' }];
  });
  if (decided.length === 0) return item;
  const outcomes = decided.map(({ outcome }) => outcome);
  const failed = decided.filter(({ outcome }) => outcome.passed === false).map(({ weight }) => weight);
  if (failed.includes('err'))
    return { ...item, result: { ...result, assertions: outcomes, status: 'err', failure_source: 'target', bin: null } };
  const status = failed.length > 0 ? 'warn' : 'ok';
  return { ...item, result: { ...result, assertions: outcomes, status } };
}
