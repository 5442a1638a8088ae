import type { Sql } from '../../platform/db/sql.ts';
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
 * Pure: the times of an alert after history changed from `before` to `rows`, both in order. It moves with the row of
 * its kind that it was opened by: to the first such row that overlaps it. Unchanged if `before` has no such row, or
 * nothing overlaps. Its cost is that of the rows that overlap it, not of all.
 */
export function retimed(alert: TimedAlert, before: readonly Row[], rows: readonly Row[]): AlertTimes {
  const isOfKind = ({ verdict }: Row) => verdict === alert.kind;
  const opened = beginningAt(before, alert.started_at, isOfKind);
  if (opened < 0) return alert;
  const index = overlapping(rows, alert.started_at, endOf(before, opened), isOfKind);
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
  const first = nextOf(before, opened + 1, endsAlerts);
  const ended = beginningAt(before, resolved_at, endsAlerts);
  const end =
    ended <= first
      ? nextOf(rows, index + 1, endsAlerts)
      : overlapping(rows, resolved_at, endOf(before, ended), endsAlerts);
  return rows[end]?.since ?? resolved_at;
}

function endsAlertsOf(kind: TimedAlert['kind'], { verdict }: Row): boolean {
  return verdict === 'up' || verdict === 'deleted' || (kind === 'down' && verdict === 'degraded');
}

function endOf(rows: readonly Row[], index: number): number {
  return rows[index + 1]?.since ?? Number.POSITIVE_INFINITY;
}

/** The index of the row that begins at an instant, if it is such a row; else -1. */
function beginningAt(rows: readonly Row[], atMs: number, isSuch: (row: Row) => boolean): number {
  const index = inForceAt(rows, atMs);
  const row = rows[index];
  return row?.since === atMs && isSuch(row) ? index : -1;
}

/** The index of the first such row of which a part is in [fromMs, untilMs); -1 if there is none. */
function overlapping(rows: readonly Row[], fromMs: number, untilMs: number, isSuch: (row: Row) => boolean): number {
  const index = nextOf(rows, Math.max(0, inForceAt(rows, fromMs)), row => row.since >= untilMs || isSuch(row));
  const row = rows[index];
  return row !== undefined && row.since < untilMs ? index : -1;
}

/** The index of the first such row from an index on; -1 if there is none. */
function nextOf(rows: readonly Row[], from: number, isSuch: (row: Row) => boolean): number {
  for (let index = from; index < rows.length; index++) if (isSuch(rows[index] as Row)) return index;
  return -1;
}

/** The index of the last row that begins at an instant or before it; -1 if none does. */
function inForceAt(rows: readonly Row[], atMs: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.since ?? Number.POSITIVE_INFINITY) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
