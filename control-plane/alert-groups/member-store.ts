import type { Severity } from '#shared/vocabulary.ts';
import type { Acknowledger } from '../alerts/alert.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { RegionFailure } from './keys.ts';

/** A row of `alert_group_members`. */
export type MemberRow = {
  alert_id: string;
  route_ids: string[];
  severity: Severity;
  told_at: number;
  joined_number: number;
  acknowledged_at: number | null;
  acknowledged_number: number | null;
  updated_number: number | null;
  resolved_at: number | null;
  resolved_number: number | null;
  actor: string | null;
};

/** In the order in which they joined. */
export function listMembers(sql: Sql, groupId: string): Promise<MemberRow[]> {
  return sql.rows<MemberRow>`
    select
      alert_id, route_ids, severity, told_at, joined_number, acknowledged_at, acknowledged_number, updated_number,
      resolved_at, resolved_number, actor
    from alert_group_members
    where group_id = ${groupId}
    order by joined_number`;
}

export type NewMember = {
  alertId: string;
  groupId: string;
  projectId: string;
  routeIds: readonly string[];
  severity: string;
  toldAt: number;
  number: number;
};

export async function insertMember(sql: Sql, member: NewMember): Promise<void> {
  await sql.run`
    with named as (
      update alerts
      set group_id = ${member.groupId}
      where project_id = ${member.projectId}
        and id = ${member.alertId}
    )
    insert into alert_group_members (
      alert_id, group_id, project_id, route_ids, severity, told_at, joined_number
    )
    values (
      ${member.alertId}, ${member.groupId}, ${member.projectId}, ${member.routeIds}, ${member.severity},
      ${instant(member.toldAt)}, ${member.number}
    )`;
}

export async function markAcknowledged(
  sql: Sql,
  alertId: string,
  by: Acknowledger | null,
  number: number,
  atMs: number,
): Promise<void> {
  await sql.run`
    update alert_group_members
    set acknowledged_at = ${instant(atMs)}, acknowledged_number = ${number}, actor = ${by?.name ?? null}
    where alert_id = ${alertId}
      and acknowledged_at is null`;
}

export async function markResolved(sql: Sql, alertId: string, number: number, atMs: number): Promise<void> {
  await sql.run`
    update alert_group_members
    set resolved_at = ${instant(atMs)}, resolved_number = ${number}
    where alert_id = ${alertId}
      and resolved_at is null`;
}

/** The alert has another severity, flaps, or is unresolved again. */
export async function markUpdated(
  sql: Sql,
  alertId: string,
  update: { severity: string; reopened: boolean },
  number: number,
): Promise<void> {
  await sql.run`
    update alert_group_members
    set severity = ${update.severity},
      updated_number = ${number},
      resolved_at = case when ${update.reopened} then null else resolved_at end,
      resolved_number = case when ${update.reopened} then null else resolved_number end
    where alert_id = ${alertId}`;
}

/** Ids of the project's alerts whose opening is committed but not dispatched yet: they are grouped in their order. */
export async function listOpening(sql: Sql, projectId: string): Promise<string[]> {
  const rows = await sql.rows<{ subject: string }>`
    select subject
    from facts
    where done_at is null
      and project_id = ${projectId}
      and kind = 'alert.opened'
      and not payload ? 'restored'
    limit 1000`;
  return rows.map(row => row.subject);
}

/** The newest failed result of each of the regions since the instant. */
export function listFailures(
  sql: Sql,
  monitorId: string,
  regions: readonly string[],
  sinceMs: number,
): Promise<RegionFailure[]> {
  return sql.rows<RegionFailure>`
    select distinct on (region) region, detail
    from check_results
    where monitor_id = ${monitorId}
      and scheduled_at >= ${instant(sinceMs)}
      and region = any(${regions}::text[])
      and status = 'err'
      and detail is not null
    order by region, scheduled_at desc, attempt desc`;
}
