import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { ExpiryKind } from '../monitors/state/state.ts';
import type { Acknowledger, AlertView } from './alert.ts';

/** Sets the state of an alert of any kind; `state` is only that of kind `down`, see migration 0067. */
function stateSet(state: AlertView['state']): Fragment {
  return fragment`
    state = case when kind = 'down' then ${state} else state end,
    own_state = case when kind <> 'down' then ${state} end`;
}

/** Of who acknowledges only this is stored, whatever else is known of them. */
function stored({ type, id, name }: Acknowledger): string {
  return JSON.stringify({ type, id, name });
}

/** True if the alert was open and is acknowledged now. */
export async function acknowledge(
  sql: Sql,
  projectId: string,
  id: string,
  by: Acknowledger,
  nowMs: number,
): Promise<boolean> {
  const acknowledged = await sql.run`
    update alerts a
    set ${stateSet('acknowledged')}, acknowledged_at = ${instant(nowMs)}, acknowledged_by = ${stored(by)}
    where a.project_id = ${projectId}
      and a.id = ${id}
      and a.current_state = 'open'`;
  return acknowledged === 1;
}

/** An alert that was resolved. `again`: it had been resolved before. */
export type ResolvedAlert = { id: string; again: boolean };

/**
 * Resolves the unresolved alert of a kind; null if there is none. `lastSeenAt`: when a failing region last failed.
 */
export async function resolveAlertOf(
  sql: Sql,
  monitorId: string,
  resolution: {
    kind: AlertView['kind'];
    resolvedAt: number;
    lastSeenAt: number | null;
    supersededBy: string | null;
  },
): Promise<ResolvedAlert | null> {
  return sql.row<ResolvedAlert>`
    update alerts a
    set ${stateSet('resolved')},
      resolved_at = greatest(${instant(resolution.resolvedAt)}::timestamptz, started_at),
      last_seen_at = coalesce(${instant(resolution.lastSeenAt)}::timestamptz, last_seen_at),
      superseded_by = ${resolution.supersededBy}
    where a.monitor_id = ${monitorId}
      and a.kind = ${resolution.kind}
      and a.current_state <> 'resolved'
    returning a.id, a.reopened_at is not null as again`;
}

export type ReopenedAlert = { id: string; held: boolean; severity: string; title: string };

/**
 * Opens the last resolved alert of a kind again; acknowledged ones stay acknowledged. It is suppressed if a window
 * covers it, or if one prevented notifications until now: then suppression begins anew. Null if there is none.
 */
export async function reopenLast(
  sql: Sql,
  monitorId: string,
  kind: 'down' | ExpiryKind,
  atMs: number,
  isCovered: boolean,
): Promise<ReopenedAlert | null> {
  return sql.row<ReopenedAlert>`
    update alerts
    set state = case when kind <> 'down' then state when acknowledged_at is null then 'open' else 'acknowledged' end,
      own_state = case when kind = 'down' then null when acknowledged_at is null then 'open' else 'acknowledged' end,
      resolved_at = null,
      reopened_at = ${instant(atMs)},
      held = ${isCovered} or (held and told_at is null),
      held_since = case when ${isCovered} or (held and told_at is null) then ${instant(atMs)} else held_since end
    where id = (
      select a.id
      from alerts a
      where a.monitor_id = ${monitorId} and a.kind = ${kind} and a.current_state = 'resolved'
      order by a.started_at desc
      limit 1
    )
    returning id, held, severity, title`;
}

/** Marks the unresolved alert of a kind as flapping; null if there is none, or it is marked. */
export async function markFlapping(
  sql: Sql,
  monitorId: string,
  kind: 'down' | ExpiryKind,
  sinceMs: number,
): Promise<string | null> {
  const row = await sql.row<{ id: string }>`
    update alerts a
    set flapping_since = ${instant(sinceMs)}
    where a.monitor_id = ${monitorId}
      and a.kind = ${kind}
      and a.current_state <> 'resolved'
      and a.flapping_since is null
    returning a.id`;
  return row?.id ?? null;
}

/** Names the group in which people are notified of the alert. */
export async function setGroup(sql: Sql, projectId: string, id: string, groupId: string): Promise<void> {
  await sql.run`
    update alerts
    set group_id = ${groupId}
    where project_id = ${projectId}
      and id = ${id}`;
}

/** Links the alert to its incident and acknowledges it if it is open. True when it was open. */
export async function markPromoted(
  sql: Sql,
  alertId: string,
  incidentId: string,
  by: Acknowledger,
  nowMs: number,
): Promise<boolean> {
  const row = await sql.row<{ acknowledged: boolean }>`
    update alerts a
    set incident_id = ${incidentId},
      state = case when a.state = 'open' then 'acknowledged' else a.state end,
      own_state = case when a.own_state = 'open' then 'acknowledged' else a.own_state end,
      acknowledged_at = case
        when a.current_state = 'open' then ${instant(nowMs)}::timestamptz
        else a.acknowledged_at
      end,
      acknowledged_by = case
        when a.current_state = 'open' then ${stored(by)}::jsonb
        else a.acknowledged_by
      end
    where a.id = ${alertId}
    returning acknowledged_at = ${instant(nowMs)}::timestamptz as acknowledged`;
  return row?.acknowledged === true;
}

/** Unlinks a deleted incident from its alert, which can then be promoted again. */
export async function releaseAlert(sql: Sql, incidentId: string): Promise<void> {
  await sql.run`
    update alerts
    set incident_id = null
    where incident_id = ${incidentId}`;
}
