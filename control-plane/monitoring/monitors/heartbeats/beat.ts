import type { SignalType } from '#shared/checks/facts.ts';
import { dayMs, secondMs } from '#shared/duration.ts';
import { extendedDeadline, type Gap } from './away.ts';
import { type Expected, expectedAfter, graceMs, type Timing } from './expected.ts';

/** A run that has begun and not ended; `isOverdue` once it was said that it takes too long. */
export type Run = { rid: string | null; at: number; isOverdue: boolean };

/** What is known of a monitor's signals. Instants in milliseconds, by receipt. */
export type Beat = {
  lastSuccessAt: number | null;
  /** Of the newest success or failure. */
  lastVoteAt: number | null;
  /** Null before the first success. */
  expected: Expected | null;
  /** The start of a run that came in time: the deadline is its end at the latest. */
  startedAt: number | null;
  /** Newest last. */
  runs: readonly Run[];
  /** The deadline that passed without a success; null if none did since the last one. */
  missedAt: number | null;
};

export type Signal = { type: SignalType; at: number; rid: string | null };

/** What a signal says: a vote at its time, one that came late, or none. */
export type Reading = { beat: Beat; says: 'up' | 'down' | 'late' | null; runMs: number | null };

/** What time alone says: nothing before `at`, or that something did not come. */
export type Due =
  | { type: 'wait'; at: number | null }
  | { type: 'missed'; expectedAt: number; deadline: number }
  | { type: 'overdue'; run: Run; deadline: number };

export const noBeat: Beat = {
  lastSuccessAt: null,
  lastVoteAt: null,
  expected: null,
  startedAt: null,
  runs: [],
  missedAt: null,
};

const runsMax = 20;

/** Pure: what a signal changes, with the deadline that holds when it comes. */
export function readSignal(
  beat: Beat,
  timing: Timing,
  signal: Signal,
  gaps: readonly Gap[],
  expect: (successAt: number) => Expected | null = successAt => expectedAfter(timing, successAt),
): Reading {
  const { type, at, rid } = signal;
  const runs = beat.runs.filter(run => at - run.at <= dayMs);
  if (type === 'log') return { beat, says: null, runMs: null };
  if (type === 'start') {
    const deadline = deadlineOf(beat, timing, gaps);
    const isInTime = beat.expected !== null && at >= beat.expected.from && deadline !== null && at <= deadline;
    const started = [...runs, { rid, at, isOverdue: false }].slice(-runsMax);
    const startedAt = isInTime && timing.maxRunSeconds !== null ? at : beat.startedAt;
    return { beat: { ...beat, runs: started, startedAt }, says: null, runMs: null };
  }
  const run = runs.findLast(candidate => candidate.at <= at && (rid === null || candidate.rid === rid));
  const runMs = run === undefined ? null : at - run.at;
  const isLate = at < (beat.lastVoteAt ?? at);
  const says = isLate ? 'late' : type === 'success' ? 'up' : 'down';
  const others = runs.filter(candidate => candidate !== run);
  const next = { ...beat, runs: others, lastVoteAt: Math.max(at, beat.lastVoteAt ?? at) };
  if (type === 'fail' || at < (beat.lastSuccessAt ?? at)) return { beat: next, says, runMs };
  const expected = expect(at);
  return { beat: { ...next, lastSuccessAt: at, expected, startedAt: null, missedAt: null }, says, runMs };
}

/** Pure: since when time without a front moves a deadline; infinite if nothing is waited for. */
export function waitsSince({ lastSuccessAt, runs }: Beat): number {
  return Math.min(lastSuccessAt ?? Number.POSITIVE_INFINITY, ...runs.map(run => run.at));
}

/** Pure: the end of the time for the expected success; null without one, or once it passed. */
export function deadlineOf(beat: Beat, timing: Timing, gaps: readonly Gap[]): number | null {
  const { expected, missedAt, startedAt, lastSuccessAt } = beat;
  if (expected === null || missedAt !== null) return null;
  const grace = graceMs(timing, expected.gapMs);
  const usual = expected.at + grace;
  const ofRun = startedAt === null || timing.maxRunSeconds === null ? 0 : startedAt + timing.maxRunSeconds * secondMs;
  return extendedDeadline(lastSuccessAt ?? expected.at, Math.max(usual, ofRun), grace, gaps);
}

/** Pure: what is due at an instant. The earliest comes first. */
export function dueOf(beat: Beat, timing: Timing, gaps: readonly Gap[], nowMs: number): Due {
  const deadline = deadlineOf(beat, timing, gaps);
  const overdue = firstOverdue(beat, timing, gaps);
  const at = Math.min(deadline ?? Number.POSITIVE_INFINITY, overdue?.deadline ?? Number.POSITIVE_INFINITY);
  if (at > nowMs) return { type: 'wait', at: at === Number.POSITIVE_INFINITY ? null : at };
  if (overdue !== null && overdue.deadline <= (deadline ?? Number.POSITIVE_INFINITY))
    return { type: 'overdue', ...overdue };
  return { type: 'missed', expectedAt: beat.expected?.at ?? at, deadline: at };
}

/** The run whose time ends first. */
function firstOverdue(
  { runs }: Beat,
  { maxRunSeconds, graceSeconds }: Timing,
  gaps: readonly Gap[],
): { run: Run; deadline: number } | null {
  if (maxRunSeconds === null) return null;
  const maxMs = maxRunSeconds * secondMs;
  const grace = graceMs({ graceSeconds }, maxMs);
  const open = runs.filter(run => !run.isOverdue);
  const [first] = open
    .map(run => ({ run, deadline: extendedDeadline(run.at, run.at + maxMs, grace, gaps) }))
    .sort((left, right) => left.deadline - right.deadline);
  return first ?? null;
}

/** Pure: the beat once it was said what is due. */
export function afterDue(beat: Beat, due: Due): Beat {
  if (due.type === 'wait') return beat;
  if (due.type === 'missed') return { ...beat, missedAt: due.deadline, startedAt: null };
  const runs = beat.runs.map(run =>
    run.at === due.run.at && run.rid === due.run.rid ? { ...run, isOverdue: true } : run,
  );
  // A job that takes too long is down already: its silence is no second outage.
  const isSame = beat.startedAt === due.run.at;
  return { ...beat, runs, ...(isSame ? { missedAt: due.deadline, startedAt: null } : {}) };
}

/** Pure: the beat by another timing. What was missed by the old one may be in time by the new. */
export function retimed(beat: Beat, timing: Timing): Beat {
  if (beat.lastSuccessAt === null) return beat;
  return { ...beat, expected: expectedAfter(timing, beat.lastSuccessAt), missedAt: null };
}
