import type { AlertKind } from '#shared/vocabulary.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { appendFact } from '../../platform/facts/store.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import { resolveAlertOf } from './state-store.ts';

type Resolvable = Pick<MonitorState, 'monitorId' | 'projectId' | 'votes'>;

/**
 * Resolves the monitor's unresolved alert of kind `down` at the start of the verdict that ended it; false if there is
 * none. `state` is the one before that verdict.
 */
export function resolveAlert(sql: Sql, state: Resolvable, resolvedAt: number, nowMs: number): Promise<boolean> {
  return resolveAlertOfKind(sql, state, { kind: 'down', resolvedAt, superseded: false, supersededBy: null }, nowMs);
}

/** Resolves the unresolved alert of a kind. One that another alert supersedes ends without a fact. */
export async function resolveAlertOfKind(
  sql: Sql,
  state: Resolvable,
  {
    kind,
    resolvedAt,
    superseded,
    supersededBy,
  }: { kind: AlertKind; resolvedAt: number; superseded: boolean; supersededBy: string | null },
  nowMs: number,
): Promise<boolean> {
  const seen = Object.values(state.votes).flatMap(vote => (vote.vote === 'down' ? [vote.as_of] : []));
  const lastSeenAt = seen.length === 0 ? null : Math.max(...seen);
  const resolved = await resolveAlertOf(sql, state.monitorId, { kind, resolvedAt, lastSeenAt, supersededBy });
  if (resolved === null) return false;
  if (superseded) return true;
  const payload = { monitor_id: state.monitorId, ...(resolved.again ? { again: true as const } : {}) };
  const { projectId } = state;
  await appendFact(sql, { kind: 'alert.resolved', projectId, subject: resolved.id, payload }, nowMs);
  return true;
}
