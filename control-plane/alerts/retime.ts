import type { Sql } from '../db/sql.ts';
import type { VerdictChange } from '../verdicts/timeline.ts';
import { type AlertTimes, lockAlertTimes, type TimedAlert, writeAlertTimes } from './store.ts';

type Row = Pick<VerdictChange, 'verdict' | 'since'>;

/**
 * Moves the times of alerts whose down or degraded row was moved by late results, so that alerts and uptime agree.
 * Opens, resolves and notifies nothing.
 */
export async function retimeAlerts(
  sql: Sql,
  monitorId: string,
  before: readonly Row[],
  rows: readonly Row[],
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
 * Pure: the times of an alert after history changed from `before` to `rows`. It moves with the row of its kind that it
 * was opened by: to the first such row that overlaps it. Unchanged if `before` has no such row, or nothing overlaps.
 */
export function retimed(alert: TimedAlert, before: readonly Row[], rows: readonly Row[]): AlertTimes {
  const opened = before.findIndex(row => row.verdict === alert.kind && row.since === alert.started_at);
  if (opened < 0) return alert;
  const openedUntil = endOf(before, opened);
  const index = rows.findIndex(
    (row, index) => row.verdict === alert.kind && row.since < openedUntil && endOf(rows, index) > alert.started_at,
  );
  const row = rows[index];
  if (row === undefined) return alert;
  const moved = resolvedAt(alert, before, opened, rows, index);
  return { started_at: row.since, resolved_at: moved === null ? null : Math.max(moved, row.since) };
}

/** The start of the first good row after the outage, or where rules waited for a later one: of what that became. */
function resolvedAt(
  { kind, resolved_at, superseded }: TimedAlert,
  before: readonly Row[],
  opened: number,
  rows: readonly Row[],
  index: number,
): number | null {
  // What a down alert superseded ended when that opened, which nothing moves.
  if (resolved_at === null || superseded) return resolved_at;
  const endsAlerts = (row: Row) => endsAlertsOf(kind, row);
  const first = before.findIndex((row, position) => position > opened && endsAlerts(row));
  const ended = before.findIndex(row => endsAlerts(row) && row.since === resolved_at);
  if (ended <= first) return rows.slice(index + 1).find(endsAlerts)?.since ?? resolved_at;
  const until = endOf(before, ended);
  const end = rows.find((row, position) => endsAlerts(row) && row.since < until && endOf(rows, position) > resolved_at);
  return end?.since ?? resolved_at;
}

function endsAlertsOf(kind: TimedAlert['kind'], { verdict }: Row): boolean {
  return verdict === 'up' || verdict === 'deleted' || (kind === 'down' && verdict === 'degraded');
}

function endOf(rows: readonly Row[], index: number): number {
  return rows[index + 1]?.since ?? Number.POSITIVE_INFINITY;
}
