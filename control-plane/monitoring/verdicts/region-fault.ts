import type pg from 'pg';
import { hourMs, minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { appendFact } from '../../platform/facts/store.ts';
import { attempt, transactionByItem } from '../../platform/failures/by-item.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import { lockStates, writeStates } from '../monitors/state/state-store.ts';
import { applyEachChange, type JudgedState } from './apply-each.ts';
import type { VerdictHooks } from './hooks.ts';
import { withSweep } from './judge.ts';
import { type QuarantineScope, Quarantines } from './quarantine.ts';
import {
  type ChangedQuarantine,
  deleteVoteDowns,
  endFault,
  insertFault,
  listMonitorsOf,
  listQuarantines,
  moveJudging,
  readQuarantines,
  takeUnjudged,
  tallyRegions,
} from './region-fault-store.ts';
import { decideQuarantines, monitorsMin, type RegionTally } from './region-tally.ts';
import { type Judged, requarantine, requarantineLate } from './timeline.ts';

/** What changed now, what changed before and nobody judged by, and the quarantines before and after. */
type Change = {
  own: readonly ChangedQuarantine[];
  left: readonly ChangedQuarantine[];
  before: Quarantines;
  after: Quarantines;
};
/** How a monitor of a changed quarantine is judged, by which quarantines. */
type Judge = { after: Quarantines; judge(state: MonitorState): Judged };

const windowMs = minuteMs;
const settledMs = hourMs;
const batchSize = 500;

/**
 * Quarantines faulty regions, ends quarantines, and judges the affected monitors again, as well as those that a process
 * which died did not come to. Run by one replica at a time. What fails does not keep other quarantines from being
 * judged, and is tried again after half a minute.
 */
export async function watchRegions(pool: pg.Pool, hooks: VerdictHooks, nowMs: number): Promise<void> {
  const { own, left, before, after } = await transaction(pool, sql => updateFaults(sql, nowMs));
  const failures: unknown[] = [];
  const judgeBy = (changed: ChangedQuarantine, judge: Judge['judge']) =>
    rejudgeScope(pool, hooks, changed, { after, judge }, nowMs).catch(error => void failures.push(error));
  for (const changed of own)
    await judgeBy(changed, state => requarantine(state, nowMs, before.of(state.projectId), after.of(state.projectId)));
  for (const changed of left)
    await judgeBy(changed, state =>
      requarantineLate(state, nowMs, changed.until ?? changed.since, after.of(state.projectId)),
    );
  if (failures.length > 0) throw new AggregateError(failures, 'monitors could not be judged by a quarantine');
}

async function updateFaults(sql: Sql, nowMs: number): Promise<Change> {
  await deleteVoteDowns(sql, nowMs - 5 * windowMs);
  const lasting = await listQuarantines(sql);
  const regions = [...new Set(lasting.map(({ region }) => region))];
  const tallies = await tallyRegions(sql, regions, nowMs - windowMs, nowMs - settledMs, monitorsMin);
  const { started, ended } = decideQuarantines(tallies, lasting);
  const left = await takeUnjudged(sql, nowMs);
  const own: (ChangedQuarantine | null)[] = [];
  for (const scope of started) own.push(await quarantine(sql, scope, tallies, nowMs));
  for (const scope of ended) own.push(await release(sql, scope, nowMs));
  return {
    own: own.filter(changed => changed !== null),
    left,
    before: new Quarantines(lasting),
    after: new Quarantines([...lasting.filter(scope => !ended.some(end => isSame(end, scope))), ...started]),
  };
}

async function quarantine(
  sql: Sql,
  scope: QuarantineScope,
  tallies: readonly RegionTally[],
  nowMs: number,
): Promise<ChangedQuarantine | null> {
  const begun = await insertFault(sql, scope, nowMs);
  if (begun === null) return null;
  const counted = tallies.filter(
    ({ region, projectId }) => region === scope.region && (scope.projectId ?? projectId) === projectId,
  );
  const payload = {
    monitors_down: counted.reduce((sum, tally) => sum + tally.newlyDisagreeing, 0),
    monitors: counted.reduce((sum, tally) => sum + tally.monitors, 0),
  };
  const { region, projectId } = scope;
  await appendFact(sql, { kind: 'region.quarantined', projectId, subject: region, payload }, nowMs);
  return begun;
}

async function release(
  sql: Sql,
  { region, projectId }: QuarantineScope,
  nowMs: number,
): Promise<ChangedQuarantine | null> {
  const ended = await endFault(sql, { region, projectId }, nowMs);
  if (ended === null) return null;
  await appendFact(sql, { kind: 'region.returned', projectId, subject: region, payload: {} }, nowMs);
  return ended;
}

/** Idempotent: a monitor whose results were judged after the quarantine was committed does not change again. */
async function rejudgeScope(
  pool: pg.Pool,
  hooks: VerdictHooks,
  changed: ChangedQuarantine,
  judge: Judge,
  nowMs: number,
): Promise<void> {
  let [last, isWhole] = ['', true];
  for (;;) {
    const ids = await transactionByItem(pool, async sql => {
      const ids = await listMonitorsOf(sql, changed, last, batchSize);
      isWhole = (await rejudge(sql, hooks, ids, judge, nowMs)) && isWhole;
      // What was left out is judged by the process that took over, or after half a minute.
      await moveJudging(sql, changed, ids.length < batchSize && isWhole);
      return ids;
    });
    if (ids.length < batchSize) return;
    last = ids.at(-1) ?? last;
  }
}

/** False if some were left out. */
async function rejudge(
  sql: Sql,
  hooks: VerdictHooks,
  monitorIds: readonly string[],
  { after, judge }: Judge,
  nowMs: number,
): Promise<boolean> {
  const states = await lockStates(sql, monitorIds);
  // If a process that took over has changed quarantines since, it judges by them: ours would replace rows since then.
  const current = await readQuarantines(sql);
  const ours = states.filter(({ projectId }) => isEqual(current.of(projectId), after.of(projectId)));
  let isWhole = ours.length === states.length;
  const judged: JudgedState[] = [];
  for (const before of ours) {
    const item = { work: 'judging', id: before.monitorId, projectId: before.projectId, nowMs } as const;
    const judgeOne = async (): Promise<JudgedState> => {
      const { standing, changes } = judge(before);
      return { before, state: withSweep({ ...before, ...standing }), changes };
    };
    const leaveOut = () => {
      isWhole = false;
      return { before, state: before, changes: [] };
    };
    judged.push(await attempt(sql, item, judgeOne, leaveOut));
  }
  await writeStates(
    sql,
    judged.map(({ state }) => state),
  );
  for (const each of judged)
    isWhole = (await applyEachChange(sql, hooks, each, after.of(each.state.projectId), nowMs)) && isWhole;
  return isWhole;
}

function isEqual(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  return left.symmetricDifference(right).size === 0;
}

function isSame(left: QuarantineScope, right: QuarantineScope): boolean {
  return left.region === right.region && left.projectId === right.projectId;
}
