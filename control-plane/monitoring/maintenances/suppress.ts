import type pg from 'pg';
import type { Sql } from '../../platform/db/sql.ts';
import type { Fact } from '../../platform/facts/fact.ts';
import { appendFact } from '../../platform/facts/store.ts';
import { attempt, attemptAll, transactionByItem } from '../../platform/failures/by-item.ts';
import { suppressionAt } from '../memberships/window.ts';
import { listSuppressions } from '../memberships/window-store.ts';
import type { MaintenanceHooks } from './hooks.ts';
import type { Occurrence } from './occurrences/store.ts';
import {
  listSuppressedMonitors,
  lockCovered,
  lockUncovered,
  releaseAlert,
  resumeAlert,
  type SuppressedAlert,
  suppressAlerts,
} from './suppression-store.ts';

const batchMax = 100;

/**
 * Suppresses alerts whose monitor is in a window, and ends that of alerts whose monitor is in none any more: if nobody
 * was notified of one, people are once it has been open until `settle_seconds` after the end. Each once, on any
 * replica. Returns of how many.
 */
export function syncSuppressions(pool: pg.Pool, nowMs: number): Promise<number> {
  return transactionByItem(pool, async sql => {
    const itemOf = ({ id, project_id: projectId }: Pick<SuppressedAlert, 'id' | 'project_id'>) =>
      ({ work: 'holds', id, projectId, nowMs }) as const;
    await attemptAll(sql, await lockCovered(sql, nowMs), itemOf, covered => suppressAlerts(sql, covered, nowMs));
    let notified = 0;
    for (const alert of await lockUncovered(sql, nowMs, batchMax))
      notified += Number(
        await attempt(
          sql,
          itemOf(alert),
          () => endSuppression(sql, alert, nowMs),
          () => false,
        ),
      );
    return notified;
  });
}

/** True if people are notified now. */
async function endSuppression(sql: Sql, alert: SuppressedAlert, nowMs: number): Promise<boolean> {
  const spans = await listSuppressions(sql, alert.monitor_id, alert.held_since, nowMs);
  const suppression = suppressionAt(spans, alert.held_since, nowMs);
  if (suppression?.state === 'suppressed') return false;
  if (alert.told_at !== null && !alert.reopened) {
    await resumeAlert(sql, alert, suppression?.end ?? nowMs);
    return false;
  }
  // Without a window, because it was deleted, there is nothing to wait for.
  const releasedAt = suppression?.releaseAt ?? nowMs;
  if (releasedAt > nowMs) return false;
  await releaseAlert(sql, alert.id, releasedAt);
  const { id, project_id: projectId, monitor_id, severity, title } = alert;
  // Whoever was notified before the window hears that it opened again.
  const fact: Fact =
    alert.told_at === null
      ? { kind: 'alert.opened', projectId, subject: id, payload: { monitor_id, severity, title } }
      : { kind: 'alert.updated', projectId, subject: id, payload: { monitor_id, change: 'reopened' } };
  await appendFact(sql, fact, nowMs);
  return true;
}

/**
 * Asks all regions of monitors whose alerts were suppressed to check at once: whether they are still down is asked
 * next.
 */
export async function checkSuppressed(
  sql: Sql,
  hooks: MaintenanceHooks,
  occurrence: Pick<Occurrence, 'id' | 'ends_at'>,
  nowMs: number,
): Promise<void> {
  for (const monitor of await listSuppressedMonitors(sql, occurrence.id, occurrence.ends_at)) {
    const { id: monitorId, project_id: projectId, config_version: configVersion, regions } = monitor;
    await hooks.checkWanted(sql, { monitorId, projectId, configVersion, regions, at: Math.floor(nowMs) });
  }
}
