import { isDeepStrictEqual } from 'node:util';
import { type Assertion, onlyWarns } from '#shared/assertions/assertion.ts';
import { describeExpectation } from '#shared/assertions/describe.ts';
import { type AssertionOutcome, isUndecidedByAgent } from '#shared/assertions/evaluate.ts';
import type { CheckStatus, StoredFailureSource } from '#shared/check-result.ts';
import type { MonitorKind } from '#shared/checks/vocabulary.ts';
import { minuteMs } from '#shared/duration.ts';
import { factOf, warns } from '../../certificates/certificate.ts';
import { judgeP95 } from '../../checks/intake/latency-p95.ts';
import { p95OfWindows, type Sample } from '../../checks/intake/window-p95.ts';
import type { ResultDetail } from '../../checks/result.ts';
import type { CertificateWarning } from '../../monitors/alert-rules.ts';
import { changedRecords, type HasChanged } from './changed-records.ts';
import { failsStored, type StoredAnswer } from './decide-stored.ts';

/** What is asserted of an answer of HTTP if nothing else is. */
const impliedOfHttp: readonly Assertion[] = [{ type: 'status', operator: 'in', value: ['200-299'] }];

/** Assertions that are no longer asked, and others that are; `index` is the place in the list that was asked. */
export type AssertionChange = {
  stored: readonly Assertion[];
  asked: readonly Assertion[];
  removed: readonly Assertion[];
  added: readonly { index: number; assertion: Assertion }[];
};

/** A result with what is stored of its answer. */
export type Answered = StoredAnswer & {
  scheduled_at: number;
  completed_at: number;
  status: CheckStatus;
  failure_source: StoredFailureSource | null;
  config_version: number;
  detail: Pick<ResultDetail, 'assertions' | 'error' | 'tls' | 'facts'>;
};

/**
 * Pure: how one list of assertions differs from another. What is in both is left as it was decided, also where a
 * failure weighs otherwise (`on_fail`).
 */
export function assertionChange(
  kind: MonitorKind,
  stored: readonly Assertion[],
  asked: readonly Assertion[],
): AssertionChange {
  const implied = kind === 'http' ? impliedOfHttp : [];
  const [before, after] = [stored, asked].map(list => (list.length === 0 ? implied : list));
  const [from, to] = [before ?? [], after ?? []];
  const isIn = (list: readonly Assertion[], one: Assertion) =>
    list.some(other => isDeepStrictEqual(condition(other), condition(one)));
  return {
    stored: from,
    asked: to,
    removed: from.filter(assertion => !isIn(to, assertion)),
    added: to.flatMap((assertion, index) => (isIn(from, assertion) ? [] : [{ index, assertion }])),
  };
}

/** What is asserted, without what a failure means. */
function condition(assertion: Assertion): object {
  return { ...assertion, on_fail: undefined };
}

/** The longest window of latencies that the added assertions look at. */
export function longestWindowMs({ added }: AssertionChange): number {
  const minutes = added.map(({ assertion }) => (assertion.type === 'latency_p95' ? assertion.window_minutes : 0));
  return Math.max(0, ...minutes) * minuteMs;
}

/**
 * Pure: the results with the status they had by the changed assertions and the certificates that warn. `samples` are of
 * all windows together.
 */
export function judgeAnswers<Result extends Answered>(
  results: readonly Result[],
  change: AssertionChange,
  configVersion: number,
  samples: readonly Sample[],
  warningOf: (result: Result) => CertificateWarning,
  recordType: string | null,
  hasChanged: HasChanged = changedRecords(recordType),
): Result[] {
  const slow = slowResults(results, change, samples);
  const isRemoved = outcomeFilter(change, configVersion);
  const onFailOf = weigher(change);
  return results.map((result, place) => {
    const { detail } = result;
    if (detail.error != null || isUnexplained(result)) return result;
    const left = detail.assertions.filter(outcome => !isRemoved(outcome, result.config_version));
    const failed = [
      ...left.filter(({ passed }) => passed === false).map(outcome => onFailOf(outcome, result)),
      ...change.added.flatMap(({ assertion }) =>
        hasChanged(assertion, result) || failsStored(assertion, result, recordType) ? [onFail(assertion)] : [],
      ),
    ];
    if (failed.includes('err')) return { ...result, status: 'err', failure_source: 'target' };
    if (left.some(outcome => isUndecidedByAgent(outcome as AssertionOutcome)))
      return { ...result, status: 'err', failure_source: 'probe' };
    const isSlow = slow.has(place) || failed.includes('warn');
    const warning = warningOf(result);
    const fact = factOf(detail, result.completed_at, warning?.thresholds);
    const isExpiring = warns(warning, fact) || wasExpiring(result);
    return { ...result, status: isSlow || isExpiring ? 'warn' : 'ok', failure_source: null };
  });
}

/** Failed for a reason that is not stored. */
function isUnexplained({ status, detail: { assertions } }: Answered): boolean {
  return status === 'err' && assertions.every(({ passed }) => passed === true);
}

/** Results of agents without facts, stored by earlier versions, warn by the rule of their time. */
function wasExpiring({ status, detail: { tls, assertions } }: Answered): boolean {
  const isSlow = assertions.some(({ type, passed }) => type === 'latency_p95' && passed === false);
  return status === 'warn' && tls !== null && tls.valid_from === undefined && !isSlow;
}

type Outcome = ResultDetail['assertions'][number];
type OnFail = 'err' | 'warn';

/** Percentiles only ever warn. */
function onFail(assertion: Assertion): OnFail {
  if (assertion.type === 'latency_p95') return 'warn';
  return onlyWarns(assertion) ? 'warn' : 'err';
}

const keyOf = (assertion: Assertion) => `${assertion.type} ${describeExpectation(assertion)}`;

/** What a failure of the outcome makes of its check: as it is asked, else as it was when it was made. */
function weigher({ asked }: AssertionChange): (outcome: Outcome, result: Pick<Answered, 'status'>) => OnFail {
  const weights = new Map<string, OnFail>();
  for (const assertion of asked)
    if (weights.get(keyOf(assertion)) !== 'err') weights.set(keyOf(assertion), onFail(assertion));
  return ({ type, expected, step }, { status }) => {
    if (type === 'latency_p95') return 'warn';
    if (step !== undefined) return 'err';
    return weights.get(`${type} ${expected}`) ?? (status === 'err' ? 'err' : 'warn');
  };
}

/** By the place in the list for results of the current version, by type and expectation for those before it. */
function outcomeFilter({ stored, removed }: AssertionChange, configVersion: number) {
  const left = new Set(stored.filter(assertion => !removed.includes(assertion)).map(keyOf));
  const keys = new Set(removed.map(keyOf).filter(key => !left.has(key)));
  const places = new Set(removed.map(assertion => stored.indexOf(assertion)));
  return ({ index, type, expected, step }: Outcome, version: number) =>
    // What a step asserts is no part of the monitor's own list.
    step === undefined && (version === configVersion ? places.has(index) : keys.has(`${type} ${expected}`));
}

/** The places of results whose window of latencies is too slow for an added assertion. */
function slowResults(
  results: readonly Pick<Answered, 'scheduled_at'>[],
  { added }: AssertionChange,
  samples: readonly Sample[],
): ReadonlySet<number> {
  const slow = new Set<number>();
  for (const { index, assertion } of added) {
    if (assertion.type !== 'latency_p95') continue;
    const lengthMs = assertion.window_minutes * minuteMs;
    const windows = results.map(({ scheduled_at: at }) => ({ afterMs: at - lengthMs, untilMs: at }));
    for (const [place, answer] of p95OfWindows(samples, windows).entries())
      if (judgeP95(index, assertion, answer).passed === false) slow.add(place);
  }
  return slow;
}
