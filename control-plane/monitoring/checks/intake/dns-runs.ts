import { createHash } from 'node:crypto';
import { describeExpectation, showValue } from '#shared/assertions/describe.ts';
import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';
import type { DnsFacts } from '#shared/checks/facts.ts';
import { minuteMs } from '#shared/duration.ts';

/** As many are remembered of a region. */
const runsMax = 20;
const shownMax = 160;

/** A set of records: a hash by which it differs from others, and its beginning as people read it. */
export type Records = { id: string; shown: string };
/** Records that good results of a region found, from one instant to another, both included. */
export type Run = Records & { from: number; to: number };

/** The data of all records of the type, in whatever order they came; null if not all of them are known. */
export function recordsOf({ answers, truncated }: DnsFacts, type: string): Records | null {
  if (truncated) return null;
  const data = [...new Set(answers.filter(answer => answer.type === type).map(answer => answer.data))].sort();
  const id = createHash('sha256').update(JSON.stringify(data)).digest('base64').slice(0, 16);
  return { id, shown: data.length === 0 ? 'no record' : data.join(', ').slice(0, shownMax).toWellFormed() };
}

/** Pure: the runs with what a good result found at an instant, whenever it is heard of. */
export function addToRuns(runs: readonly Run[], at: number, { id, shown }: Records): Run[] {
  const covering = runs.find(run => run.from <= at && at <= run.to);
  if (covering?.id === id) return [...runs];
  const before = runs.filter(run => run.to < at);
  const after = runs.filter(run => run.from > at);
  const own: Run = { id, shown, from: at, to: at };
  if (covering !== undefined) {
    if (covering.from < at) before.push({ ...covering, to: at - 1 });
    if (covering.to > at) after.unshift({ ...covering, from: at + 1 });
  }
  const [last, next] = [before.at(-1), after[0]];
  if (last?.id === id) own.from = last.from;
  if (next?.id === id) own.to = next.to;
  const all = [...(last?.id === id ? before.slice(0, -1) : before), own, ...(next?.id === id ? after.slice(1) : after)];
  return all.slice(-runsMax);
}

/** Pure: what the first good result found in the window that ends at an instant; undefined if there is none. */
export function firstInWindow(runs: readonly Run[], at: number, minutes: number): Run | undefined {
  return runs.find(run => run.to > at - minutes * minuteMs && run.from <= at);
}

/** Outcome of `dns_changed`; skipped if the records are not known, or there is nothing to compare them with. */
export function judgeChanged(
  { index, window_minutes }: { index: number; window_minutes: number },
  first: Records | undefined,
  records: Records | null,
): AssertionOutcome {
  const assertion = { type: 'dns_changed', operator: 'eq', value: false, window_minutes } as const;
  const common = { index, type: 'dns_changed', expected: describeExpectation(assertion) } as const;
  if (records === null) return { ...common, passed: null, actual: null, skipped: 'not_all_known' };
  if (first === undefined) return { ...common, passed: null, actual: null, skipped: 'too_few_samples' };
  const passed = first.id === records.id;
  return {
    ...common,
    passed,
    actual: showValue(passed ? records.shown : `${records.shown} instead of ${first.shown}`),
  };
}
