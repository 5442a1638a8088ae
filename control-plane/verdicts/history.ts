import { type MonitorState, warmUpMs } from '../monitors/state.ts';
import { eventsOf, type HistoryEvent, type Past } from './history-event.ts';
import type { StoredVersion } from './store.ts';
import { advance, putChange, type Standing, type VerdictChange } from './timeline.ts';

/** A replay between two windows. `inForce` is the row in force at `from`; rows change only once `warmedUp`. */
export type Progress = {
  inForce: VerdictChange | undefined;
  from: number;
  rows: VerdictChange[];
  standing: Standing;
  quarantined: ReadonlySet<string>;
  warmedUp: boolean;
};

/**
 * Pure: the rows from the one in force at `from` until `untilMs`. Votes are collected from `warmUpFrom`, one lifetime
 * earlier, so that every vote that counted at `from` is known; rows before `from` stay unchanged.
 */
export function replayHistory(
  before: readonly VerdictChange[],
  past: Past,
  warmUpFrom: number,
  from: number,
  untilMs: number,
): VerdictChange[] {
  const progress = beginReplay(before, past, warmUpFrom, from);
  return progress === null ? [...before] : endReplay(replayWindow(progress, past, warmUpFrom, untilMs), untilMs);
}

/** Null if no version or row of that time is known: then the stored rows stay. */
export function beginReplay(
  before: readonly VerdictChange[],
  past: Omit<Past, 'observations'>,
  warmUpFrom: number,
  from: number,
): Progress | null {
  const inForce = before.findLast(row => row.since <= from);
  const standing = initialStanding(past.versions, warmUpFrom);
  if (standing === null || (inForce === undefined && before.length > 0)) return null;
  const quarantined = new Set(past.faults.filter(fault => fault.since <= warmUpFrom).map(fault => fault.region));
  return { inForce, from, rows: inForce === undefined ? [] : [inForce], standing, quarantined, warmedUp: false };
}

/** Applies what happened in (start, end]. */
export function replayWindow(progress: Progress, past: Past, startMs: number, endMs: number): Progress {
  return replayEvents(progress, eventsOf(past, startMs, endMs));
}

/** Applies events in order. The rows of `progress` are taken over and changed in place. */
export function replayEvents(progress: Progress, events: readonly HistoryEvent[]): Progress {
  const { inForce, from, rows } = progress;
  let { standing, quarantined, warmedUp } = progress;
  for (const event of events) {
    if (!warmedUp && event.at >= from) {
      warmedUp = true;
      // Votes that ran out before `from` made rows that stay as they are.
      standing = advance(standing, from - 1, quarantined).standing;
      if (inForce !== undefined) standing = { ...standing, verdict: inForce.verdict, since: inForce.since };
    }
    const judged = event.apply(standing, quarantined);
    standing = judged.standing;
    quarantined = judged.quarantined ?? quarantined;
    if (warmedUp) for (const change of judged.changes) putChange(rows, change);
  }
  return { inForce, from, rows, standing, quarantined, warmedUp };
}

/** Expires the votes that run out after the last event. */
export function endReplay({ rows, standing, quarantined, warmedUp }: Progress, untilMs: number): VerdictChange[] {
  if (!warmedUp) return rows;
  for (const change of advance(standing, untilMs, quarantined).changes) putChange(rows, change);
  return rows;
}

/**
 * From where replayed rows are to be computed again because live judging, which took results for late, is of another
 * opinion on their last one; null if it agrees. The row before the last is in force there.
 */
export function disputedFrom(
  rows: readonly VerdictChange[],
  { verdict, replayFrom }: Pick<MonitorState, 'verdict' | 'replayFrom'>,
): number | null {
  const last = rows.at(-1);
  return last === undefined || last.verdict === verdict ? null : Math.min(replayFrom ?? last.since, last.since - 1);
}

/** Live judging decides the present: if the replay ends with another verdict, the current one follows it as a row. */
export function settle(
  rows: readonly VerdictChange[],
  state: Pick<MonitorState, 'verdict' | 'since' | 'rules'>,
): VerdictChange[] {
  const last = rows.at(-1);
  if (last?.verdict === state.verdict) return [...rows];
  const since = Math.max(state.since, (last?.since ?? 0) + 1);
  return [...rows, { since, verdict: state.verdict, votes: {}, configVersion: state.rules.configVersion }];
}

/** Start of the first row that differs from the stored ones, at most `from`. */
export function firstChange(before: readonly VerdictChange[], rows: readonly VerdictChange[], from: number): number {
  const changed = rows.find(
    (row, index) => row.since !== before[index]?.since || row.verdict !== before[index]?.verdict,
  );
  return Math.min(from, changed?.since ?? from);
}

/** Where a replay of late results begins, and where it begins to collect votes. Versions are in order of time. */
export function replaySpan(
  replayFrom: number,
  versions: readonly StoredVersion[],
  earliest: number,
  nowMs: number,
): { from: number; warmUpFrom: number } {
  const from = Math.max(replayFrom, earliest, versions[0]?.at ?? nowMs);
  const warmUps = versions.map(({ rules }) => warmUpMs(rules.intervalMs, rules.timeoutMs));
  return { from, warmUpFrom: from - Math.max(...warmUps) };
}

/** Votes may change during a replay; what it builds on must not. */
export function isUnchanged(locked: MonitorState, read: MonitorState): boolean {
  return (
    locked.replayFrom === read.replayFrom &&
    locked.verdict === read.verdict &&
    locked.since === read.since &&
    locked.rules.configVersion === read.rules.configVersion
  );
}

function initialStanding(versions: readonly StoredVersion[], atMs: number): Standing | null {
  const version = versions.findLast(({ at }) => at <= atMs) ?? versions[0];
  if (version === undefined) return null;
  const start = versions.findLast(({ at, resetsStart }) => at <= atMs && resetsStart)?.at ?? version.at;
  return { rules: version.rules, verdict: 'undetermined', since: start, earliestStart: start, votes: {} };
}
