import type { Sql } from '../db/sql.ts';
import { appendFact } from '../facts/store.ts';
import type { MonitorState } from '../monitors/state.ts';
import { resolveAlertOf } from './store.ts';

/**
 * Resolves the monitor's unresolved alert at the start of the verdict that ended it; false if there is none. `state` is
 * the one before that verdict.
 */
export async function resolveAlert(
  sql: Sql,
  state: Pick<MonitorState, 'monitorId' | 'projectId' | 'votes'>,
  resolvedAt: number,
  nowMs: number,
): Promise<boolean> {
  const seen = Object.values(state.votes).flatMap(vote => (vote.vote === 'down' ? [vote.as_of] : []));
  const id = await resolveAlertOf(sql, state.monitorId, resolvedAt, seen.length === 0 ? null : Math.max(...seen));
  if (id === null) return false;
  await appendFact(
    sql,
    { kind: 'alert.resolved', projectId: state.projectId, subject: id, payload: { monitor_id: state.monitorId } },
    nowMs,
  );
  return true;
}
