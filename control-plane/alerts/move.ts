import type { Sql } from '../db/sql.ts';
import type { VerdictChange } from '../verdicts/timeline.ts';
import { listAlertTimes, moveAlert } from './store.ts';

type Times = { started_at: number; resolved_at: number | null };

/** Moves the times of alerts whose down row late results moved, so that alert and uptime agree. Nothing opens, resolves or is told. */
export async function moveAlerts(
  sql: Sql,
  monitorId: string,
  before: readonly VerdictChange[],
  rows: readonly VerdictChange[],
): Promise<void> {
  const first = before[0];
  if (first === undefined) return;
  for (const alert of await listAlertTimes(sql, monitorId, first.since)) {
    const moved = movedTimes(alert, before, rows);
    if (moved.started_at === alert.started_at && moved.resolved_at === alert.resolved_at) continue;
    await moveAlert(sql, alert.id, moved.started_at, moved.resolved_at);
  }
}

/** Pure: the alert follows the down row it was opened with to where that row is now; unchanged when the row is not in this stretch. */
export function movedTimes(alert: Times, before: readonly VerdictChange[], rows: readonly VerdictChange[]): Times {
  const own = before.findIndex(row => row.verdict === 'down' && row.since === alert.started_at);
  if (own < 0) return alert;
  const ownEnd = before[own + 1]?.since ?? Number.POSITIVE_INFINITY;
  const endOf = (index: number) => rows[index + 1]?.since ?? Number.POSITIVE_INFINITY;
  const place = rows.findIndex(
    (row, index) => row.verdict === 'down' && row.since < ownEnd && endOf(index) > alert.started_at,
  );
  const down = rows[place];
  if (down === undefined) return alert;
  const ended = rows
    .slice(place + 1)
    .find(row => row.verdict === 'up' || row.verdict === 'degraded' || row.verdict === 'deleted');
  return {
    started_at: down.since,
    resolved_at: alert.resolved_at === null ? null : (ended?.since ?? alert.resolved_at),
  };
}
