import { hourMs } from '#shared/duration.ts';
import type { Sql } from '../db/sql.ts';
import { appendFact } from '../facts/store.ts';
import { isHeld } from '../memberships/hold-store.ts';
import { defaultAlertPolicy } from '../monitors/monitor.ts';
import type { MonitorState } from '../monitors/state.ts';
import type { VerdictChange } from '../verdicts/timeline.ts';
import { reasonOf } from './reason.ts';
import { addFailingRegions, findFailure, findPolicy, insertAlert } from './store.ts';

/**
 * Opens the monitor's alert in the transaction of the verdict and returns true. If one is unresolved already, adds the
 * failing regions to it and returns false.
 */
export async function openAlert(sql: Sql, state: MonitorState, change: VerdictChange, nowMs: number): Promise<boolean> {
  const monitor = await findPolicy(sql, state.monitorId);
  const policy = monitor?.policy ?? defaultAlertPolicy;
  const failing = Object.entries(change.votes).flatMap(([region, vote]) => (vote === 'down' ? [region] : []));
  const failure = await findFailure(sql, state.monitorId, failing, nowMs - 2 * state.rules.intervalMs - hourMs);
  const title = `${monitor?.name ?? state.monitorId} is down`;
  const held = await isHeld(sql, state.monitorId, nowMs);
  const id = await insertAlert(
    sql,
    {
      projectId: state.projectId,
      monitorId: state.monitorId,
      title,
      severity: policy.severity,
      regionsFailing: failing,
      regions: state.rules.regions,
      quorum: state.rules.quorum,
      reason: reasonOf(failure),
      labels: monitor?.labels ?? {},
      startedAt: change.since,
      held,
    },
    nowMs,
  );
  if (id === null) {
    await addFailingRegions(sql, state.monitorId, failing);
    return false;
  }
  const payload = { monitor_id: state.monitorId, severity: policy.severity, title };
  const kind = held ? 'alert.held' : 'alert.opened';
  await appendFact(sql, { kind, projectId: state.projectId, subject: id, payload }, nowMs);
  return true;
}
