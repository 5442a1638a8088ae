import { type Assertion, onlyWarns } from '#shared/assertions/assertion.ts';
import { holdsMeasured } from '#shared/assertions/decide-kinds.ts';
import { describeExpectation } from '#shared/assertions/describe.ts';
import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';
import type { CheckStatus, NoOpinion, StoredFailureSource } from '#shared/check-result.ts';
import type { MeasuredFacts } from '#shared/checks/facts.ts';
import type { WholeEvents } from '../kinds/events.ts';
import type { Counted } from './meter.ts';

/** What windows came to, and in words. `none`: why nothing can be said whatever is asked of it. */
export type Measured = { facts: MeasuredFacts; none: NoOpinion | null; text: string };

/** What a check of events says. */
export type Verdict = { status: CheckStatus; source: StoredFailureSource | null; assertions: AssertionOutcome[] };

const nameMax = 100;

/** Pure: the value of a window, and of that a week before if it is compared with it. */
export function measuredOf(
  { against, measure, window_seconds: window }: Pick<WholeEvents, 'against' | 'measure' | 'window_seconds'>,
  now: Counted | NoOpinion,
  before: Counted | NoOpinion | null,
): Measured {
  if (typeof now === 'string') return unknownFor(now);
  if (typeof before === 'string') return unknownFor(before);
  const base = before?.value ?? null;
  const ratio = base === null || base === 0 || now.value === null ? null : now.value / base;
  const value = against === null ? now.value : ratio;
  const least = measure === 'conversion' ? Math.min(now.sample, before?.sample ?? now.sample) : before?.sample;
  const sample = least ?? now.sample;
  const compared =
    against === null ? '' : `, ${value === null ? 'none' : rounded(value)} of the ${rounded(base ?? 0)} a week before`;
  const text = `${subjectOf(now, measure)} in ${window / 60} min${compared}`;
  return { facts: { value, sample, base }, none: value === null ? 'too_few' : null, text };
}

function unknownFor(none: NoOpinion): Measured {
  return { facts: { value: null, sample: null, base: null }, none, text: '' };
}

/** Pure: how it is judged. With fewer than `minSample` there is no opinion. */
export function judgeMeasured(
  { facts: { value, sample }, none, text }: Measured,
  minSample: number,
  assertions: readonly Assertion[],
): Verdict {
  const unknown = none ?? (value === null || (sample ?? 0) < minSample ? 'too_few' : null);
  if (value === null || unknown !== null) return { status: 'err', source: unknown ?? 'too_few', assertions: [] };
  const outcomes: AssertionOutcome[] = [];
  const failed = new Set<'warn' | 'err'>();
  for (const [index, assertion] of assertions.entries()) {
    if (assertion.type !== 'measured') continue;
    const passed = holdsMeasured(assertion, value);
    outcomes.push({ index, type: 'measured', passed, expected: describeExpectation(assertion), actual: text });
    if (!passed) failed.add(onlyWarns(assertion) ? 'warn' : 'err');
  }
  const status = failed.has('err') ? 'err' : failed.has('warn') ? 'warn' : 'ok';
  return { status, source: status === 'err' ? 'target' : null, assertions: outcomes };
}

function subjectOf({ value, sample, name }: Counted, measure: WholeEvents['measure']): string {
  const shown = `'${name.length > nameMax ? `${name.slice(0, nameMax).toWellFormed()}…` : name}'`;
  if (measure === 'count') return `${value} ${shown} ${value === 1 ? 'event' : 'events'}`;
  if (measure === 'users') return `${value} ${value === 1 ? 'user' : 'users'} of ${shown}`;
  return `${value === null ? 'none' : rounded(value)} of ${sample} who began ${shown} finished it`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
