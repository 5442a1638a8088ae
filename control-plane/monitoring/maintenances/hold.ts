import type pg from 'pg';
import type { Sql } from '../../platform/db/sql.ts';
import type { Fact } from '../../platform/facts/fact.ts';
import { appendFact } from '../../platform/facts/store.ts';
import { attempt, attemptAll, transactionByItem } from '../../platform/failures/by-item.ts';
import { holdAt } from '../memberships/window.ts';
import { listHolds } from '../memberships/window-store.ts';
import {
  type HeldAlert,
  holdAlerts,
  listHeldMonitors,
  lockCovered,
  lockUncovered,
  releaseAlert,
  resumeAlert,
} from './hold-store.ts';
import type { MaintenanceHooks } from './hooks.ts';
import type { Occurrence } from './occurrences/store.ts';

const batchMax = 100;

/**
 * Holds alerts whose monitor is in a window, and ends the hold of those whose is in none any more: what nobody was told
 * of is told once it has been open until `settle_seconds` after the end. Each once, on any replica. Returns how many
 * were told.
 */
export function syncHolds(pool: pg.Pool, nowMs: number): Promise<number> {
  return transactionByItem(pool, async sql => {
    const itemOf = ({ id, project_id: projectId }: Pick<HeldAlert, 'id' | 'project_id'>) =>
      ({ work: 'holds', id, projectId, nowMs }) as const;
    await attemptAll(sql, await lockCovered(sql, nowMs), itemOf, covered => holdAlerts(sql, covered, nowMs));
    let told = 0;
    for (const alert of await lockUncovered(sql, nowMs, batchMax))
      told += Number(
        await attempt(
          sql,
          itemOf(alert),
          () => endHold(sql, alert, nowMs),
          () => false,
        ),
      );
    return told;
  });
}

/** True if the alert is told now. */
async function endHold(sql: Sql, alert: HeldAlert, nowMs: number): Promise<boolean> {
  const spans = await listHolds(sql, alert.monitor_id, alert.held_since, nowMs);
  const hold = holdAt(spans, alert.held_since, nowMs);
  if (hold?.state === 'held') return false;
  if (alert.told_at !== null && !alert.reopened) {
    await resumeAlert(sql, alert, hold?.end ?? nowMs);
    return false;
  }
  // Without a window, because it was deleted, there is nothing to wait for.
  const releasedAt = hold?.releaseAt ?? nowMs;
  if (releasedAt > nowMs) return false;
  await releaseAlert(sql, alert.id, releasedAt);
  const { id, project_id: projectId, monitor_id, severity, title } = alert;
  // Who was told of it before the window hears that it opened again.
  const fact: Fact =
    alert.told_at === null
      ? { kind: 'alert.opened', projectId, subject: id, payload: { monitor_id, severity, title } }
      : { kind: 'alert.updated', projectId, subject: id, payload: { monitor_id, change: 'reopened' } };
  await appendFact(sql, fact, nowMs);
  return true;
}

/** Asks all regions of monitors whose alerts were held to check at once: whether they are still down is asked next. */
export async function checkHeld(
  sql: Sql,
  hooks: MaintenanceHooks,
  occurrence: Pick<Occurrence, 'id' | 'ends_at'>,
  nowMs: number,
): Promise<void> {
  for (const monitor of await listHeldMonitors(sql, occurrence.id, occurrence.ends_at)) {
    const { id: monitorId, project_id: projectId, config_version: configVersion, regions } = monitor;
    await hooks.checkWanted(sql, { monitorId, projectId, configVersion, regions, at: Math.floor(nowMs) });
  }
}
