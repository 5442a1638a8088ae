import { partialOf } from '#shared/checks/addresses.ts';
import { type Confirmation, isVoter } from '#shared/vocabulary.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { attempt, isCareful } from '../../platform/failures/by-item.ts';
import type { Judged } from '../checks/hooks.ts';
import type { VersionRules } from '../checks/intake/accept.ts';
import type { Cast } from '../checks/intake/prepare.ts';
import type { NewResult } from '../checks/storage/insert-store.ts';
import { lifetimeOf, type MonitorState } from '../monitors/state/state.ts';
import { writeCurrentHours, writeStates, writeVotes } from '../monitors/state/state-store.ts';
import { applyEachChange, itemOf } from './apply-each.ts';
import type { VerdictHooks } from './hooks.ts';
import { insertVoteDowns, readQuarantines } from './region-fault-store.ts';
import { nextExpiry, observe, type VerdictChange } from './timeline.ts';
import {
  isBefore,
  isFirstFailure,
  isFirstRecovery,
  isLate,
  type Observation,
  overtakes,
  toObservation,
} from './vote.ts';

export type FreshResult = { result: NewResult; version: VersionRules; cast?: Cast };

/** Outcome of judging one monitor's results. `newlyDown`: regions whose vote turned down. */
export type Judgement = {
  state: MonitorState;
  changes: readonly VerdictChange[];
  confirmation: Confirmation | null;
  newlyDown: readonly string[];
};

const confirmEveryMs = 10_000;

/** Judges new results of locked states, and writes what they and the counting of results changed. */
export async function judgeResults(
  sql: Sql,
  hooks: VerdictHooks,
  states: readonly MonitorState[],
  fresh: readonly FreshResult[],
  nowMs: number,
): Promise<Judged> {
  const quarantines = await readQuarantines(sql);
  const byMonitor = Map.groupBy(fresh, ({ result }) => result.monitor_id);
  const judgements: (Judgement & { before: MonitorState })[] = [];
  for (const state of states) {
    const results = byMonitor.get(state.monitorId);
    if (results === undefined) continue;
    const { projectId, rules } = state;
    const changedAt = quarantines.changedAt(projectId, rules.regions);
    const judge = () => judgeMonitor(state, results, nowMs, quarantines.of(projectId), changedAt);
    const item = itemOf('judging', state, nowMs);
    // Its results are stored and counted; votes that they should have cast expire.
    const unjudged = () => ({ state, changes: [], confirmation: null, newlyDown: [] });
    const judged = isCareful(sql) ? await attempt(sql, item, async () => judge(), unjudged) : judge();
    judgements.push({ before: state, ...judged });
  }
  const { true: refreshed = [], false: moved = [] } = Object.groupBy(judgements, ({ before, state }) =>
    onlyVotesDiffer(before, state) ? 'true' : 'false',
  );
  await writeVotes(sql, statesOf(refreshed));
  await writeStates(sql, statesOf(moved));
  await writeCurrentHours(sql, statesOf(moved));
  const downs = judgements.flatMap(({ state, newlyDown }) =>
    newlyDown.map(region => ({ region, monitorId: state.monitorId })),
  );
  if (downs.length > 0) await insertVoteDowns(sql, downs, nowMs);
  for (const { before, state, changes } of judgements)
    await applyEachChange(sql, hooks, { before, state, changes }, quarantines.of(state.projectId), nowMs);
  return {
    confirmations: judgements.flatMap(judgement => judgement.confirmation ?? []),
    written: judgements.flatMap(({ state, changes }) => (changes.length > 0 ? [] : [state])),
  };
}

function statesOf(judgements: readonly Judgement[]): MonitorState[] {
  return judgements.map(({ state }) => state);
}

/** Whether a judged state has the same fields but votes. Rules are not changed by results. */
function onlyVotesDiffer(before: MonitorState, state: MonitorState): boolean {
  return (
    before.verdict === state.verdict &&
    before.since === state.since &&
    before.earliestStart === state.earliestStart &&
    before.confirmedAt === state.confirmedAt &&
    before.sweepAt === state.sweepAt &&
    before.replayFrom === state.replayFrom
  );
}

/**
 * Pure: the state after the results, in order of completion. The same object as `start` if nothing changed.
 * `quarantinedAt` is when quarantines last changed: what was seen before and turns something is recomputed.
 */
export function judgeMonitor(
  start: MonitorState,
  results: readonly FreshResult[],
  nowMs: number,
  quarantined: ReadonlySet<string>,
  quarantinedAt = Number.NEGATIVE_INFINITY,
): Judgement {
  let state = start;
  let confirmation: Confirmation | null = null;
  const changes: VerdictChange[] = [];
  const newlyDown: string[] = [];
  for (const { result, version, cast } of results.toSorted(byCompletion)) {
    if (cast === 'none') continue;
    const { rules } = state;
    const seen = observationOf(result, version);
    const before = state.votes[seen.region];
    // What signals say in their order holds, also if a deadline between them was judged before.
    const observation = cast === 'now' ? { ...seen, asOf: Math.max(seen.asOf, before?.judged_at ?? 0) } : seen;
    // Results under earlier rules cast no vote now, but belong to the history of their time.
    const isOther = cast === undefined && result.config_version !== rules.configVersion;
    const isPast = rules.deleted || !rules.enabled || isOther || cast === 'late';
    if (isPast || (cast === undefined && isLate(before, observation, nowMs))) {
      state = withReplay(state, observation);
      continue;
    }
    if (isFirstFailure(before, observation) || isFirstRecovery(before, observation)) {
      confirmation ??= claimConfirmation(state, observation.region, nowMs);
    }
    const judged = observe(state, observation, quarantined);
    const isOvertaken = overtakes(state.votes, judged.standing.votes, observation);
    state = { ...state, ...judged.standing };
    const turns = judged.changes.length > 0 || state.votes[observation.region]?.vote !== before?.vote;
    if (isOvertaken || (turns && isBefore(observation, quarantinedAt))) state = withReplay(state, observation);
    changes.push(...judged.changes);
    const turnsDown = state.votes[observation.region]?.vote === 'down' && before?.vote !== 'down';
    // A voter that is no region is never quarantined.
    if (turnsDown && !isVoter(observation.region)) newlyDown.push(observation.region);
  }
  if (state === start) return { state, changes, confirmation, newlyDown };
  if (confirmation !== null) state = { ...state, confirmedAt: nowMs };
  return { state: withSweep(state), changes, confirmation, newlyDown };
}

/** Always earlier than before: by that a replay under way notices that there is more than it has read. */
function withReplay(state: MonitorState, { startedAt }: Observation): MonitorState {
  return { ...state, replayFrom: Math.min((state.replayFrom ?? Number.POSITIVE_INFINITY) - 1, startedAt) };
}

/** `sweepAt` only moves earlier; a row found still alive is rescheduled by the sweep. This keeps index writes rare. */
export function withSweep(state: MonitorState): MonitorState {
  const due = nextExpiry(state);
  if (due === null || (state.sweepAt !== null && state.sweepAt <= due)) return state;
  return { ...state, sweepAt: due };
}

function observationOf(result: NewResult, version: Pick<VersionRules, 'intervalMs' | 'timeoutMs'>): Observation {
  return toObservation(
    {
      region: result.region,
      status: result.status,
      failureSource: result.error?.code === 'blocked_address' ? 'blocked_address' : result.failure_source,
      attempt: result.attempt,
      partialAddresses: partialOf(result.facts?.addresses),
      startedAt: result.started_at,
      completedAt: result.completed_at,
      receivedAt: result.receivedAt,
    },
    lifetimeOf(result.region, version),
  );
}

function byCompletion({ result: left }: FreshResult, { result: right }: FreshResult): number {
  return left.completed_at - right.completed_at || left.attempt - right.attempt;
}

/** Null for a single region, or within ten seconds of the last one. The row is locked, so one replica gets it. */
function claimConfirmation(state: MonitorState, region: string, nowMs: number): Confirmation | null {
  if (state.rules.regions.length < 2) return null;
  if (state.confirmedAt !== null && nowMs - state.confirmedAt < confirmEveryMs) return null;
  const { monitorId, projectId, rules } = state;
  return { monitorId, configVersion: rules.configVersion, at: nowMs, exceptRegion: region, projectId };
}
