import type { Confirmation } from '../assignments/check-now.ts';
import type { VersionRules } from '../checks/accept.ts';
import type { NewResult } from '../checks/store.ts';
import type { Sql } from '../db/sql.ts';
import { type MonitorState, voteLifetimeMs } from '../monitors/state.ts';
import { writeStates } from '../monitors/state-store.ts';
import type { VerdictStages } from './stages.ts';
import { insertVoteDowns, quarantinedRegions, writeChange } from './store.ts';
import { count, countedVotes, nextExpiry, type VerdictChange } from './timeline.ts';
import { type Ballot, isFirstFailure, isFirstRecovery, isLate, toBallot } from './vote.ts';

export type FreshResult = { result: NewResult; version: VersionRules };

/** What judging one monitor came to. */
export type Judgement = {
  state: MonitorState;
  changes: readonly VerdictChange[];
  confirmation: Confirmation | null;
  newlyDown: readonly string[];
};

const confirmEveryMs = 10_000;

/** Judges new results of locked states, writes what changed, and returns whom to ask for confirmation after the commit. */
export async function judgeResults(
  sql: Sql,
  stages: VerdictStages,
  states: readonly MonitorState[],
  fresh: readonly FreshResult[],
  nowMs: number,
): Promise<Confirmation[]> {
  const quarantined = await quarantinedRegions(sql);
  const byMonitor = Map.groupBy(fresh, one => one.result.monitor_id);
  const judgements = states.flatMap(state => {
    const results = byMonitor.get(state.monitorId);
    return results === undefined ? [] : [{ before: state, ...judgeMonitor(state, results, nowMs, quarantined) }];
  });
  await writeStates(
    sql,
    judgements.filter(one => one.state !== one.before).map(one => one.state),
  );
  const downs = judgements.flatMap(({ state, newlyDown }) =>
    newlyDown.map(region => ({ region, monitorId: state.monitorId })),
  );
  if (downs.length > 0) await insertVoteDowns(sql, downs, nowMs);
  for (const { before, state, changes } of judgements)
    await follow(sql, stages, before, state, changes, quarantined, nowMs);
  return judgements.flatMap(one => one.confirmation ?? []);
}

/** Pure: the state after the results, in order of their completion. */
export function judgeMonitor(
  start: MonitorState,
  results: readonly FreshResult[],
  nowMs: number,
  quarantined: ReadonlySet<string>,
): Judgement {
  let state = start;
  let confirmation: Confirmation | null = null;
  const changes: VerdictChange[] = [];
  const newlyDown: string[] = [];
  const ordered = results.toSorted(
    (left, right) => left.result.completed_at - right.result.completed_at || left.result.attempt - right.result.attempt,
  );
  for (const { result, version } of ordered) {
    const { rules } = state;
    const ballot = ballotOf(result, version);
    const held = state.votes[ballot.region];
    // What was said under earlier rules casts no vote now, but is part of the history of its time.
    const isPast = rules.deleted || !rules.enabled || result.config_version !== rules.configVersion;
    if (isPast || isLate(held, ballot, nowMs)) {
      state = { ...state, replayFrom: Math.min(state.replayFrom ?? Number.POSITIVE_INFINITY, ballot.startedAt) };
      continue;
    }
    if (isFirstFailure(held, ballot) || isFirstRecovery(held, ballot)) {
      confirmation ??= claimConfirmation(state, ballot.region, nowMs);
    }
    const judged = count(state, ballot, quarantined);
    state = { ...state, ...judged.standing };
    changes.push(...judged.changes);
    if (state.votes[ballot.region]?.vote === 'down' && held?.vote !== 'down') newlyDown.push(ballot.region);
  }
  if (state === start) return { state, changes, confirmation, newlyDown };
  if (confirmation !== null) state = { ...state, confirmedAt: nowMs };
  return { state: withSweep(state), changes, confirmation, newlyDown };
}

/** The sweep is moved only towards the present: what it finds alive it looks at again later, so its index is seldom touched. */
export function withSweep(state: MonitorState): MonitorState {
  const due = nextExpiry(state);
  if (due === null || (state.sweepAt !== null && state.sweepAt <= due)) return state;
  return { ...state, sweepAt: due };
}

/** Writes the rows of a judgement and tells what follows them. */
export async function follow(
  sql: Sql,
  stages: VerdictStages,
  before: MonitorState,
  state: MonitorState,
  changes: readonly VerdictChange[],
  quarantined: ReadonlySet<string>,
  nowMs: number,
): Promise<void> {
  for (const change of changes) {
    await writeChange(sql, state, change);
    await stages.flipped(sql, before, state, change, nowMs);
  }
  if (state.verdict !== 'down') return;
  const failing = failingRegions(state, quarantined);
  if (changes.length > 0 || failing.join() === failingRegions(before, quarantined).join()) return;
  await stages.failingRegionsChanged(sql, state, failing);
}

export function failingRegions(state: MonitorState, quarantined: ReadonlySet<string>): string[] {
  return Object.entries(countedVotes(state, quarantined)).flatMap(([region, vote]) =>
    vote === 'down' ? [region] : [],
  );
}

export function ballotOf(result: NewResult, version: Pick<VersionRules, 'intervalMs' | 'timeoutMs'>): Ballot {
  return toBallot(
    {
      region: result.region,
      status: result.status,
      failureSource: result.failure_source,
      attempt: result.attempt,
      startedAt: result.started_at,
      completedAt: result.completed_at,
      receivedAt: result.receivedAt,
    },
    voteLifetimeMs(version.intervalMs, version.timeoutMs),
  );
}

/** Once per monitor in ten seconds: the row is locked, so one replica gets it. */
function claimConfirmation(state: MonitorState, region: string, nowMs: number): Confirmation | null {
  if (state.rules.regions.length < 2) return null;
  if (state.confirmedAt !== null && nowMs - state.confirmedAt < confirmEveryMs) return null;
  return { monitorId: state.monitorId, configVersion: state.rules.configVersion, at: nowMs, exceptRegion: region };
}
