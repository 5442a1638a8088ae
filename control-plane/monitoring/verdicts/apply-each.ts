import { isTimeout } from '../../platform/db/errors.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { attempt, isCareful } from '../../platform/failures/by-item.ts';
import type { Item, Work } from '../../platform/failures/failure.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import { writeStates } from '../monitors/state/state-store.ts';
import type { VerdictHooks } from './hooks.ts';
import { writeChange } from './store.ts';
import { countedVotes, type VerdictChange } from './timeline.ts';

/** What a judgement changed of one monitor. */
export type JudgedState = { before: MonitorState; state: MonitorState; changes: readonly VerdictChange[] };

/** What could not be judged is due again after this time. */
export const tryAgainMs = 10_000;

/**
 * Applies what was judged of one monitor in a transaction of many. If its alerts cannot be evaluated, its history is
 * written all the same, and the alerts follow later (`alerts/sweep.ts`). If its history cannot be written, its state
 * goes back to what it was: the next result, or a sweep in ten seconds, judges it again. What takes too long ends the
 * transaction, which is then repeated: nothing is wrong with the monitor.
 */
export async function applyEachChange(
  sql: Sql,
  hooks: VerdictHooks,
  { before, state, changes }: JudgedState,
  quarantined: ReadonlySet<string>,
  nowMs: number,
): Promise<boolean> {
  const apply = async (all: VerdictHooks) => {
    await applyChanges(sql, all, before, state, changes, quarantined, nowMs);
    return true;
  };
  if (!isCareful(sql)) return apply(hooks);
  const withoutAlerts = { ...hooks, ...noAlertHooks };
  const goBack = async () => {
    await writeStates(sql, [{ ...before, replayFrom: state.replayFrom, sweepAt: nowMs + tryAgainMs }]);
    return false;
  };
  const writeOnly = () => attempt(sql, itemOf('verdicts', state, nowMs), () => apply(withoutAlerts), goBack, isTimeout);
  return attempt(sql, itemOf('alerts', state, nowMs), () => apply(hooks), writeOnly);
}

const noAlertHooks: Pick<VerdictHooks, 'alerted' | 'failingRegionsChanged' | 'historyMoved'> = {
  alerted: async () => {},
  failingRegionsChanged: async () => {},
  historyMoved: async () => {},
};

/** A monitor as an item of a loop. */
export function itemOf(work: Work, { monitorId, projectId }: MonitorState, nowMs: number): Item {
  return { work, id: monitorId, projectId, nowMs };
}

/**
 * Writes the rows of a judgement and calls the hooks. A verdict that joins the row before it takes that row's start, in
 * the state and for the hooks alike, so that state, alert and history agree. Regions that fail besides those in the
 * last row are reported, also when they were counted in the same batch.
 */
export async function applyChanges(
  sql: Sql,
  hooks: VerdictHooks,
  before: MonitorState,
  state: MonitorState,
  changes: readonly VerdictChange[],
  quarantined: ReadonlySet<string>,
  nowMs: number,
): Promise<void> {
  for (const change of changes) {
    const { since, replaced } = await writeChange(sql, state, change);
    // What an alert was opened by may be among them: it begins with the row that took its place.
    if (replaced.length > 0) await hooks.historyMoved(sql, state.monitorId, replaced, [{ ...change, since }]);
    if (since !== change.since && change === changes.at(-1)) await writeStates(sql, [{ ...state, since }]);
    await hooks.flipped(sql, state, { ...change, since }, nowMs);
    await hooks.alerted(sql, before, state, { ...change, since }, nowMs);
  }
  if (state.verdict !== 'down') return;
  const failing = failingRegions(state, quarantined);
  const last = changes.at(-1);
  const reported = last === undefined ? failingRegions(before, quarantined) : downIn(last.votes);
  if (failing.join() === reported.join()) return;
  await hooks.failingRegionsChanged(sql, state, failing);
}

function failingRegions(state: MonitorState, quarantined: ReadonlySet<string>): string[] {
  return downIn(countedVotes(state, quarantined));
}

function downIn(votes: VerdictChange['votes']): string[] {
  return Object.entries(votes).flatMap(([region, vote]) => (vote === 'down' ? [region] : []));
}
