import type { Sql } from '../../platform/db/sql.ts';
import { appendFact } from '../../platform/facts/store.ts';
import { isSuppressed } from '../memberships/suppression-store.ts';
import type { ExpiryKind } from '../monitors/state/state.ts';
import { reopenLast } from './state-store.ts';

type Monitor = { monitorId: string; projectId: string };

/**
 * Opens the last alert of a kind again. In maintenance people are notified at the end of its suppression. Returns its
 * id; null if there is none.
 */
export async function reopenAlert(
  sql: Sql,
  monitor: Monitor,
  kind: 'down' | ExpiryKind,
  atMs: number,
  nowMs: number,
): Promise<string | null> {
  const { monitorId, projectId } = monitor;
  const isCovered = await isSuppressed(sql, monitorId, atMs);
  const alert = await reopenLast(sql, monitorId, kind, atMs, isCovered);
  if (alert === null) return null;
  const { id: subject, held, severity, title } = alert;
  if (!held) await announceUpdate(sql, monitor, subject, 'reopened', nowMs);
  else if (isCovered) {
    const payload = { monitor_id: monitorId, severity, title };
    await appendFact(sql, { kind: 'alert.held', projectId, subject, payload }, nowMs);
  }
  return subject;
}

export function announceUpdate(
  sql: Sql,
  { monitorId, projectId }: Monitor,
  subject: string,
  change: 'flapping' | 'reopened' | 'threshold',
  nowMs: number,
): Promise<void> {
  const payload = { monitor_id: monitorId, change };
  return appendFact(sql, { kind: 'alert.updated', projectId, subject, payload }, nowMs);
}
