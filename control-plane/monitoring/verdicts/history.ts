import { lifetimeOf, type MonitorState, type Vote, type Votes, warmUpMs } from '../monitors/state/state.ts';
import { eventsOf, type HistoryEvent, type Past } from './history-event.ts';
import type { StoredVersion } from './store.ts';
import { advance, countedVotes, putChange, type Standing, type VerdictChange } from './timeline.ts';
import { verdictOf } from './verdict.ts';

/** A replay between two windows. `inForce` is the row in force before `from`; rows change only once `warmedUp`. */
export type Progress = {
  inForce: VerdictChange | undefined;
  from: number;
  rows: VerdictChange[];
  standing: Standing;
  quarantined: ReadonlySet<string>;
  warmedUp: boolean;
};

/** Recomputed rows, and the votes at their end; null where nothing could be computed. */
export type Replayed = { rows: VerdictChange[]; end: Pick<Progress, 'standing'> | null };

/**
 * Pure: the rows of `before` up to the one in force before `from`, and those until `untilMs`. Votes are collected from
 * `warmUpFrom`, one lifetime earlier, so that every vote that counted at `from` is known; rows before `from` stay
 * unchanged.
 */
export function replayHistory(
  before: readonly VerdictChange[],
  past: Past,
  warmUpFrom: number,
  from: number,
  untilMs: number,
): Replayed {
  const progress = beginReplay(before, past, warmUpFrom, from);
  if (progress === null) return { rows: [...before], end: null };
  return endReplay(replayWindow(progress, past, warmUpFrom, untilMs), untilMs);
}

/**
 * Null if no version or row of that time is known: then the stored rows stay. Rows before the one in force are those
 * that a new one may join.
 */
export function beginReplay(
  before: readonly VerdictChange[],
  past: Omit<Past, 'observations'>,
  warmUpFrom: number,
  from: number,
): Progress | null {
  // A row at that very instant is computed again, too: what came late may have made it live.
  const earlier = before.findLastIndex(row => row.since < from);
  const index = earlier < 0 ? before.findIndex(row => row.since === from) : earlier;
  const inForce = before[index];
  const standing = initialStanding(past.versions, warmUpFrom);
  if (standing === null || (inForce === undefined && before.length > 0)) return null;
  const quarantined = new Set(past.faults.filter(fault => fault.since <= warmUpFrom).map(fault => fault.region));
  return { inForce, from, rows: before.slice(0, index + 1), standing, quarantined, warmedUp: false };
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
export function endReplay({ rows, standing, quarantined, warmedUp }: Progress, untilMs: number): Replayed {
  if (!warmedUp) return { rows, end: null };
  const { standing: end, changes } = advance(standing, untilMs, quarantined);
  for (const change of changes) putChange(rows, change);
  return { rows, end: { standing: end } };
}

/**
 * Pure: the votes of a state with those that late results cast, so that what comes next is judged with them. Only
 * votes that have not changed since they were read, and only together, if the verdict stays the same by the quarantines
 * of now: a replay opens and resolves no alert.
 */
export function adoptVotes(
  locked: MonitorState,
  read: MonitorState,
  end: Replayed['end'],
  quarantined: ReadonlySet<string>,
  nowMs: number,
): Votes {
  if (end === null) return locked.votes;
  const { regions, quorum } = locked.rules;
  const votes = { ...locked.votes };
  for (const region of regions) {
    const cast = end.standing.votes[region];
    const live = votes[region];
    if (cast === undefined || live?.as_of !== read.votes[region]?.as_of) continue;
    if (live?.judged_at !== read.votes[region]?.judged_at) continue;
    if (isNewer(cast, live, nowMs)) votes[region] = cast;
  }
  const counted = countedVotes({ rules: locked.rules, votes }, quarantined);
  const verdict = verdictOf(Object.values(counted), quorum);
  return verdict === locked.verdict ? votes : locked.votes;
}

/**
 * Whether a replay knows more of a region than its vote says. One that has run out is left to the sweep, which may be
 * held; if both have, the later end shows what the history was decided by, and whether a first failure still counts.
 */
function isNewer(cast: Vote, live: Vote | undefined, nowMs: number): boolean {
  // By the clock of its agent a result may have ended after now: it was judged, but is not replayed yet.
  if (cast.judged_at < (live?.judged_at ?? 0)) return false;
  const [castUntil, liveUntil] = [cast.expires_at ?? 0, live?.expires_at ?? 0];
  if (castUntil <= nowMs) return (live?.vote ?? 'unknown') === 'unknown' && cast.since >= (live?.since ?? 0);
  return cast.vote !== live?.vote || cast.failing_since !== live.failing_since || castUntil > liveUntil;
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

/**
 * Live judging decides the present: if the replay ends with another verdict, the current one follows it as a row, with
 * what is stored of it in `live`, the last row before the replay.
 */
export function settle(
  rows: readonly VerdictChange[],
  state: Pick<MonitorState, 'verdict' | 'since' | 'rules'>,
  live?: VerdictChange,
): VerdictChange[] {
  const last = rows.at(-1);
  if (last?.verdict === state.verdict) return [...rows];
  const since = Math.max(state.since, (last?.since ?? 0) + 1);
  if (live?.verdict === state.verdict) return [...rows, { ...live, since }];
  return [...rows, { since, verdict: state.verdict, votes: {}, configVersion: state.rules.configVersion }];
}

/** How many rows are left out when others follow a change: those before the one in force at `from`, if they stayed. */
export function unmovedRows(before: readonly VerdictChange[], rows: readonly VerdictChange[], from: number): number {
  const inForce = before.findLastIndex(row => row.since < from);
  return Math.max(0, Math.min(inForce, countSame(before, rows) - 1));
}

function countSame(before: readonly VerdictChange[], rows: readonly VerdictChange[]): number {
  const isSame = (index: number) =>
    rows[index]?.since === before[index]?.since && rows[index]?.verdict === before[index]?.verdict;
  let same = 0;
  while (same < rows.length && isSame(same)) same++;
  return same;
}

/** Where a replay of late results begins, and where it begins to collect votes. Versions are in order of time. */
export function replaySpan(
  replayFrom: number,
  versions: readonly StoredVersion[],
  earliest: number,
  nowMs: number,
): { from: number; warmUpFrom: number } {
  const from = Math.max(replayFrom, earliest, versions[0]?.at ?? nowMs);
  return { from, warmUpFrom: from - longestWarmUpMs(versions) };
}

/** The longest of any version; 0 without one. */
export function longestWarmUpMs(versions: readonly StoredVersion[]): number {
  return versions.reduce((most, { rules }) => {
    const ofEvents = rules.regions.includes('events') ? lifetimeOf('events', rules) : 0;
    return Math.max(most, ofEvents, warmUpMs(rules.intervalMs, rules.timeoutMs));
  }, 0);
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
