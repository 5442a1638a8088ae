import type { Sql } from '../../platform/db/sql.ts';
import type { MonitorHooks } from '../monitors/hooks.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import { insertState, writeRules } from '../monitors/state/state-store.ts';
import { applyEachChange } from './apply-each.ts';
import type { VerdictHooks } from './hooks.ts';
import { withSweep } from './judge.ts';
import { readQuarantines } from './region-fault-store.ts';
import { writeChange } from './store.ts';
import { changeOf, type Judged, observe, reconfigure } from './timeline.ts';
import { toObservation } from './vote.ts';

/** Creates the state of a new monitor, or judges an existing one by its new rules, in the transaction of the change. */
export async function configureVerdict(
  sql: Sql,
  hooks: VerdictHooks,
  change: Parameters<MonitorHooks['configured']>[1],
): Promise<void> {
  const { monitorId, projectId, rules, atMs } = change;
  if (change.state === null) return createState(sql, { monitorId, projectId, rules, atMs });
  const quarantined = (await readQuarantines(sql)).of(projectId);
  const { dropsVotes, resetsStart } = change.change;
  const ruled = reconfigure(change.state, { rules, atMs, dropsVotes, resetsStart }, quarantined);
  const judged = change.recovers && !dropsVotes ? recovered(ruled, atMs) : ruled;
  const cleared = dropsVotes ? { sweepAt: null, confirmedAt: null } : {};
  const state = withSweep({ ...change.state, ...judged.standing, ...cleared });
  await writeRules(sql, state);
  const applied = { before: change.state, state, changes: judged.changes };
  if (!(await applyEachChange(sql, hooks, applied, quarantined, atMs)))
    throw new Error('the history of the monitor could not be written');
}

/** A heartbeat that is in time by its new rules is up from now on. */
function recovered({ standing, changes }: Judged, atMs: number): Judged {
  const seen = { region: 'heartbeat', status: 'ok', failureSource: null, attempt: 1 } as const;
  const times = { startedAt: atMs, completedAt: atMs, receivedAt: atMs };
  const judged = observe(standing, toObservation({ ...seen, ...times }, Number.POSITIVE_INFINITY));
  return { standing: judged.standing, changes: [...changes, ...judged.changes] };
}

async function createState(
  sql: Sql,
  created: Pick<MonitorState, 'monitorId' | 'projectId' | 'rules'> & { atMs: number },
): Promise<void> {
  const { rules, atMs } = created;
  const verdict = rules.enabled ? 'pending' : 'paused';
  const state = withSweep({
    monitorId: created.monitorId,
    projectId: created.projectId,
    rules,
    verdict,
    since: atMs,
    earliestStart: atMs,
    votes: {},
    confirmedAt: null,
    sweepAt: null,
    replayFrom: null,
    certificates: null,
    currentHour: null,
  });
  await insertState(sql, state);
  await writeChange(sql, state, changeOf(state, atMs, 'configuration'));
}
