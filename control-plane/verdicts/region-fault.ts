import type pg from 'pg';
import { hourMs, minuteMs } from '#shared/duration.ts';
import { type Sql, sqlOf } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { appendFact } from '../facts/store.ts';
import { lockStates, writeStates } from '../monitors/state-store.ts';
import type { VerdictHooks } from './hooks.ts';
import { applyChanges, withSweep } from './judge.ts';
import { type QuarantineScope, Quarantines } from './quarantine.ts';
import {
  deleteVoteDowns,
  endFault,
  insertFault,
  listMonitorsOf,
  listQuarantines,
  listUnjudged,
  markJudged,
  readQuarantines,
  tallyRegions,
  type Unjudged,
} from './region-fault-store.ts';
import { decideQuarantines, monitorsMin, type RegionTally } from './region-tally.ts';
import { requarantine } from './timeline.ts';

type Change = { changed: readonly Unjudged[]; before: Quarantines; after: Quarantines };

const windowMs = minuteMs;
const settledMs = hourMs;
const batchSize = 500;

/**
 * Quarantines faulty regions, ends quarantines, and judges the affected monitors again, as well as those that a process
 * which died did not come to. Run by one replica at a time.
 */
export async function watchRegions(pool: pg.Pool, hooks: VerdictHooks, nowMs: number): Promise<void> {
  const change = await transaction(pool, sql => updateFaults(sql, nowMs));
  for (const scope of change.changed)
    if (await rejudgeScope(pool, hooks, scope, change, nowMs)) await markJudged(sqlOf(pool), scope);
}

async function updateFaults(sql: Sql, nowMs: number): Promise<Change> {
  await deleteVoteDowns(sql, nowMs - 5 * windowMs);
  const lasting = await listQuarantines(sql);
  const regions = [...new Set(lasting.map(({ region }) => region))];
  const tallies = await tallyRegions(sql, regions, nowMs - windowMs, nowMs - settledMs, monitorsMin);
  const { started, ended } = decideQuarantines(tallies, lasting);
  for (const scope of started) await quarantine(sql, scope, tallies, nowMs);
  for (const scope of ended) await release(sql, scope, nowMs);
  return {
    changed: await listUnjudged(sql),
    before: new Quarantines(lasting),
    after: new Quarantines([...lasting.filter(scope => !ended.some(end => isSame(end, scope))), ...started]),
  };
}

async function quarantine(
  sql: Sql,
  scope: QuarantineScope,
  tallies: readonly RegionTally[],
  nowMs: number,
): Promise<void> {
  if (!(await insertFault(sql, scope, nowMs))) return;
  const counted = tallies.filter(
    ({ region, projectId }) => region === scope.region && (scope.projectId ?? projectId) === projectId,
  );
  const payload = {
    monitors_down: counted.reduce((sum, tally) => sum + tally.newlyDisagreeing, 0),
    monitors: counted.reduce((sum, tally) => sum + tally.monitors, 0),
  };
  const { region, projectId } = scope;
  await appendFact(sql, { kind: 'region.quarantined', projectId, subject: region, payload }, nowMs);
}

async function release(sql: Sql, { region, projectId }: QuarantineScope, nowMs: number): Promise<void> {
  if (!(await endFault(sql, { region, projectId }, nowMs))) return;
  await appendFact(sql, { kind: 'region.returned', projectId, subject: region, payload: {} }, nowMs);
}

/**
 * Idempotent: a monitor whose results were judged after the quarantine was committed does not change again. False if
 * monitors were left to a process that took over.
 */
async function rejudgeScope(
  pool: pg.Pool,
  hooks: VerdictHooks,
  scope: QuarantineScope,
  change: Change,
  nowMs: number,
): Promise<boolean> {
  let [last, isWhole] = ['', true];
  for (;;) {
    const ids = await transaction(pool, async sql => {
      const ids = await listMonitorsOf(sql, scope, last, batchSize);
      isWhole = (await rejudge(sql, hooks, ids, change, nowMs)) && isWhole;
      return ids;
    });
    if (ids.length < batchSize) return isWhole;
    last = ids.at(-1) ?? last;
  }
}

/** False if some were left out. */
async function rejudge(
  sql: Sql,
  hooks: VerdictHooks,
  monitorIds: readonly string[],
  { before, after }: Change,
  nowMs: number,
): Promise<boolean> {
  const states = await lockStates(sql, monitorIds);
  // If a process that took over has changed quarantines since, it judges by them: ours would replace rows since then.
  const current = await readQuarantines(sql);
  const ours = states.filter(({ projectId }) => isEqual(current.of(projectId), after.of(projectId)));
  const judged = ours.map(state => {
    const { projectId } = state;
    const { standing, changes } = requarantine(state, nowMs, before.of(projectId), after.of(projectId));
    return { previous: state, state: withSweep({ ...state, ...standing }), changes };
  });
  await writeStates(
    sql,
    judged.map(({ state }) => state),
  );
  for (const { previous, state, changes } of judged)
    await applyChanges(sql, hooks, previous, state, changes, after.of(state.projectId), nowMs);
  return ours.length === states.length;
}

function isEqual(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return left.symmetricDifference(right).size === 0;
}

function isSame(left: QuarantineScope, right: QuarantineScope): boolean {
  return left.region === right.region && left.projectId === right.projectId;
}
