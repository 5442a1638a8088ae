import type { Accepted } from '#control-plane/monitoring/checks/intake/prepare.ts';
import type { MonitorState } from '#control-plane/monitoring/monitors/state/state.ts';
import { judgeMonitor, withSweep } from '#control-plane/monitoring/verdicts/judge.ts';
import type { Quarantines } from '#control-plane/monitoring/verdicts/quarantine.ts';
import {
  addChange,
  advance,
  nextExpiry,
  reconfigure,
  requarantine,
  requarantineLate,
  type VerdictChange,
} from '#control-plane/monitoring/verdicts/timeline.ts';
import type { Confirmation } from '#shared/vocabulary.ts';
import { followMovedRows, followVerdictRow } from './alerting.ts';
import { dropCertificates, followCertificates } from './certifying.ts';
import type { Mutation } from './mutation.ts';
import type { MonitorRow, Rows } from './rows.ts';

type Change = { before: Quarantines; after: Quarantines };

const nothing: ReadonlySet<string> = new Set();

/** Judges new results in the transaction that stores them, as `judgeResults` does. */
export function judge(
  rows: Rows,
  fresh: readonly Accepted[],
  nowMs: number,
  mutation: Mutation | null,
): Confirmation[] {
  const confirmations: Confirmation[] = [];
  for (const [id, results] of Map.groupBy(fresh, ({ result }) => result.monitor_id)) {
    const before = stateOf(rows, id);
    const judged = mutation === 'quorum of those who vote' ? ofThoseWhoVote(before) : before;
    const quarantined = mutation === 'results of quarantined regions count' ? nothing : rows.quarantined;
    const at = rows.quarantinedAt;
    const { state, changes, confirmation, newlyDown } = judgeMonitor(judged, results, nowMs, quarantined, at);
    if (confirmation !== null) confirmations.push(confirmation);
    for (const region of newlyDown) rows.voteDowns.put(`${id} ${region}`, { region, monitorId: id, at: nowMs });
    if (state.votes !== before.votes) rows.judgedUnder.put(id, rows.quarantined);
    if (state !== before) apply(rows, before, state, changes, nowMs);
    followCertificates(rows, before, results, nowMs, mutation);
  }
  return confirmations;
}

/** Expires votes that are due, as `sweepExpiries` does. */
export function sweepVotes(rows: Rows, nowMs: number): void {
  for (const before of [...rows.states.values()]) {
    if (before.sweepAt === null || before.sweepAt > nowMs) continue;
    const { standing, changes } = advance(before, nowMs, rows.quarantined);
    if (standing.votes !== before.votes) rows.judgedUnder.put(before.monitorId, rows.quarantined);
    const state = { ...before, ...standing };
    apply(rows, before, { ...state, sweepAt: nextExpiry(state) }, changes, nowMs);
  }
}

/** Puts the newest version of a monitor in force, as `configureVerdict` does. */
export function configure(rows: Rows, monitor: MonitorRow, nowMs: number): void {
  const version = monitor.versions.at(-1)?.stored;
  if (version === undefined) return;
  const { rules, dropsVotes, resetsStart } = version;
  const before = rows.states.get(monitor.id);
  if (before === undefined) return create(rows, monitor.id, version.rules, nowMs);
  const { standing, changes } = reconfigure(before, { rules, atMs: nowMs, dropsVotes, resetsStart }, rows.quarantined);
  rows.judgedUnder.put(monitor.id, rows.quarantined);
  const cleared = dropsVotes ? { sweepAt: null, confirmedAt: null } : {};
  apply(rows, before, withSweep({ ...before, ...standing, ...cleared }), changes, nowMs);
  if (dropsVotes) dropCertificates(rows, monitor.id, nowMs);
}

/**
 * Judges the monitors of a region again when quarantines change, as `rejudge` of `region-fault.ts` does. `lateMs` is
 * when they changed if nobody judged by that.
 */
export function rejudge(rows: Rows, region: string, change: Change, lateMs: number | null, atMs: number): boolean {
  const { before, after } = change;
  let isWhole = true;
  for (const previous of [...rows.states.values()]) {
    const { rules, projectId, monitorId } = previous;
    if (!rules.enabled || !rules.regions.includes(region)) continue;
    const isStale = rows.quarantined.symmetricDifference(after.of(projectId)).size > 0;
    isWhole &&= !isStale;
    if (isStale) continue;
    const { standing, changes } =
      lateMs === null
        ? requarantine(previous, atMs, before.of(projectId), after.of(projectId))
        : requarantineLate(previous, atMs, lateMs, after.of(projectId));
    rows.judgedUnder.put(monitorId, after.of(projectId));
    apply(rows, previous, withSweep({ ...previous, ...standing }), changes, atMs);
  }
  return isWhole;
}

export function stateOf(rows: Rows, monitorId: string): MonitorState {
  const state = rows.states.get(monitorId);
  if (state === undefined) throw new Error(`${monitorId} has no state`);
  return state;
}

function ofThoseWhoVote(state: MonitorState): MonitorState {
  const regions = state.rules.regions.filter(region => (state.votes[region]?.vote ?? 'unknown') !== 'unknown');
  const quorum = Math.min(state.rules.quorum, Math.max(1, regions.length));
  return { ...state, rules: { ...state.rules, quorum } };
}

function create(rows: Rows, monitorId: string, rules: MonitorState['rules'], nowMs: number): void {
  const fresh = { verdict: 'pending' as const, since: nowMs, earliestStart: nowMs, votes: {} };
  const nothing = { confirmedAt: null, sweepAt: null, replayFrom: null, certificates: null, currentHour: null };
  rows.states.put(monitorId, withSweep({ monitorId, projectId: 'proj_1', rules, ...fresh, ...nothing }));
  const { configVersion } = rules;
  rows.changes.put(monitorId, [{ since: nowMs, verdict: 'pending', votes: {}, configVersion }]);
}

/** Writes a judgement and follows it, as `applyChanges` does. */
function apply(
  rows: Rows,
  before: MonitorState,
  state: MonitorState,
  changes: readonly VerdictChange[],
  nowMs: number,
): void {
  rows.states.put(state.monitorId, state);
  for (const change of changes) {
    const history = rows.changes.get(state.monitorId) ?? [];
    const replaced = history.filter(row => row.since >= change.since);
    const changed = addChange(history, change);
    rows.changes.put(state.monitorId, changed);
    const since = changed.at(-1)?.since ?? change.since;
    if (replaced.length > 0) followMovedRows(rows, state.monitorId, replaced, [{ ...change, since }]);
    if (since !== change.since && change === changes.at(-1)) rows.states.put(state.monitorId, { ...state, since });
    followVerdictRow(rows, before, { ...change, since }, nowMs);
  }
}
