import type { Sql } from '../db/sql.ts';
import type { VerdictChange } from '../verdicts/timeline.ts';
import { type AlertTimes, lockAlertTimes, writeAlertTimes } from './store.ts';

/**
 * Moves the times of alerts whose down row was moved by late results, so that alerts and uptime agree. Opens, resolves
 * and notifies nothing.
 */
export async function retimeAlerts(
  sql: Sql,
  monitorId: string,
  before: readonly VerdictChange[],
  rows: readonly VerdictChange[],
): Promise<void> {
  const first = before[0];
  if (first === undefined) return;
  for (const alert of await lockAlertTimes(sql, monitorId, first.since)) {
    const moved = retimed(alert, before, rows);
    if (moved.started_at === alert.started_at && moved.resolved_at === alert.resolved_at) continue;
    await writeAlertTimes(sql, alert.id, moved);
  }
}

/**
 * Pure: the times of an alert after history changed from `before` to `rows`. It moves with the down row it was opened
 * by: to the first down row that overlaps it. Unchanged if `before` has no such row, or nothing overlaps.
 */
export function retimed(
  alert: AlertTimes,
  before: readonly VerdictChange[],
  rows: readonly VerdictChange[],
): AlertTimes {
  const opened = before.findIndex(row => row.verdict === 'down' && row.since === alert.started_at);
  if (opened < 0) return alert;
  const openedUntil = endOf(before, opened);
  const index = rows.findIndex(
    (row, index) => row.verdict === 'down' && row.since < openedUntil && endOf(rows, index) > alert.started_at,
  );
  const down = rows[index];
  if (down === undefined) return alert;
  const end = rows
    .slice(index + 1)
    .find(row => row.verdict === 'up' || row.verdict === 'degraded' || row.verdict === 'deleted');
  return {
    started_at: down.since,
    resolved_at: alert.resolved_at === null ? null : (end?.since ?? alert.resolved_at),
  };
}

function endOf(rows: readonly VerdictChange[], index: number): number {
  return rows[index + 1]?.since ?? Number.POSITIVE_INFINITY;
}
