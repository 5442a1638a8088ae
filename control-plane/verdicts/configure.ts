import type { Sql } from '../db/sql.ts';
import type { MonitorStages } from '../monitors/stages.ts';
import type { MonitorState } from '../monitors/state.ts';
import { insertState, writeRules } from '../monitors/state-store.ts';
import { follow, withSweep } from './judge.ts';
import type { VerdictStages } from './stages.ts';
import { quarantinedRegions, writeChange } from './store.ts';
import { reconfigure } from './timeline.ts';

/** Applies new rules to a monitor's standing, in the transaction of the change. */
export async function configureVerdict(
  sql: Sql,
  stages: VerdictStages,
  change: Parameters<MonitorStages['configured']>[1],
): Promise<void> {
  const { monitorId, projectId, rules, atMs } = change;
  if (change.state === null) return createState(sql, { monitorId, projectId, rules, atMs });
  const quarantined = await quarantinedRegions(sql);
  const { dropsVotes, movesFloor } = change.change;
  const judged = reconfigure(change.state, { rules, atMs, dropsVotes, movesFloor }, quarantined);
  const fresh = dropsVotes ? { sweepAt: null, confirmedAt: null } : {};
  const state = withSweep({ ...change.state, ...judged.standing, ...fresh });
  await writeRules(sql, state);
  await follow(sql, stages, change.state, state, judged.changes, quarantined, atMs);
}

async function createState(
  sql: Sql,
  made: Pick<MonitorState, 'monitorId' | 'projectId' | 'rules'> & { atMs: number },
): Promise<void> {
  const { rules, atMs } = made;
  const verdict = rules.enabled ? 'pending' : 'paused';
  const state = withSweep({
    monitorId: made.monitorId,
    projectId: made.projectId,
    rules,
    verdict,
    since: atMs,
    floor: atMs,
    votes: {},
    confirmedAt: null,
    sweepAt: null,
    replayFrom: null,
  });
  await insertState(sql, state);
  await writeChange(sql, state, { since: atMs, verdict, votes: {}, configVersion: rules.configVersion });
}
