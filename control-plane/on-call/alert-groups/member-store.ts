import type { TlsDetail } from '#shared/check-result.ts';
import type { ClientCertificate } from '#shared/checks/facts.ts';
import type { Severity } from '#shared/vocabulary.ts';
import type { Acknowledger } from '../../monitoring/alerts/alert.ts';
import { setGroup } from '../../monitoring/alerts/state-store.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { RegionFailure } from './keys.ts';

/** A row of `alert_group_members`. */
export type MemberRow = {
  alert_id: string;
  route_ids: string[];
  severity: Severity;
  told_at: number;
  held_ms: number;
  joined_number: number;
  acknowledged_at: number | null;
  acknowledged_number: number | null;
  updated_number: number | null;
  resolved_at: number | null;
  resolved_number: number | null;
  actor: string | null;
  held: boolean;
};

/** In the order in which they joined. The clocks of an alert stood still while it was suppressed. */
export function listMembers(sql: Sql, groupId: string): Promise<MemberRow[]> {
  return sql.rows<MemberRow>`
    select
      m.alert_id, m.route_ids, m.severity, m.told_at + a.held_ms * interval '1 millisecond' as told_at,
      a.held_ms::double precision as held_ms,
      m.joined_number, m.acknowledged_at, m.acknowledged_number, m.updated_number, m.resolved_at, m.resolved_number,
      m.actor, a.held
    from alert_group_members m
    join alerts a on a.id = m.alert_id
    where m.group_id = ${groupId}
    order by m.joined_number`;
}

export type NewMember = {
  alertId: string;
  groupId: string;
  projectId: string;
  routeIds: readonly string[];
  severity: string;
  notifiedAt: number;
  number: number;
};

export async function insertMember(sql: Sql, member: NewMember): Promise<void> {
  await setGroup(sql, member.projectId, member.alertId, member.groupId);
  await sql.run`
    insert into alert_group_members (
      alert_id, group_id, project_id, route_ids, severity, told_at, joined_number
    )
    values (
      ${member.alertId}, ${member.groupId}, ${member.projectId}, ${member.routeIds}, ${member.severity},
      ${instant(member.notifiedAt)}, ${member.number}
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

/** Alerts that this one superseded, without a fact, and which their groups still take for unresolved. */
export function listSuperseded(
  sql: Sql,
  projectId: string,
  alertId: string,
): Promise<{ alert_id: string; group_id: string; resolved_at: number }[]> {
  return sql.rows<{ alert_id: string; group_id: string; resolved_at: number }>`
    select m.alert_id, m.group_id, coalesce(a.resolved_at, now()) as resolved_at
    from alerts down
    join alerts a on a.monitor_id = down.monitor_id and a.superseded_by = down.id
    join alert_group_members m on m.alert_id = a.id
    where down.project_id = ${projectId}
      and down.id = ${alertId}
      and m.resolved_at is null`;
}

/** Locks alerts in the order in which judging does, and returns those of the project. */
export async function lockAlerts(sql: Sql, projectId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from alerts
    where project_id = ${projectId}
      and id = any(${ids}::text[])
    order by monitor_id, id
    for no key update`;
  return rows.map(row => row.id);
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
    order by id
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
    select distinct on (r.region) r.region, r.detail, coalesce(v.warn_assertions, '{}') as "warnOn"
    from check_results r
    left join monitor_versions v on v.monitor_id = r.monitor_id and v.config_version = r.config_version
    where r.monitor_id = ${monitorId}
      and r.scheduled_at >= ${instant(sinceMs)}
      and r.region = any(${regions}::text[])
      and r.status = 'err'
      and r.detail is not null
    order by r.region, r.scheduled_at desc, r.attempt desc`;
}

/** The newest result of each of the regions since the instant that has a certificate with its fingerprint. */
export async function listCertificates(
  sql: Sql,
  monitorId: string,
  regions: readonly string[],
  sinceMs: number,
): Promise<RegionFailure[]> {
  const own = fragment`coalesce(r.detail->'facts', s.shape->'facts')->'client_certificate'`;
  const rows = await sql.rows<{ region: string; tls: TlsDetail | null; own: ClientCertificate | null }>`
    select distinct on (r.region) r.region, coalesce(r.detail->'tls', s.shape->'tls') as tls, ${own} as own
    from check_results r
    left join check_shapes s
      on s.monitor_id = r.monitor_id and s.hash = r.shape and s.day = date_trunc('day', r.scheduled_at, 'UTC')
    where r.monitor_id = ${monitorId}
      and r.scheduled_at >= ${instant(sinceMs)}
      and r.region = any(${regions}::text[])
      and coalesce(coalesce(r.detail->'tls', s.shape->'tls')->>'fingerprint_sha256', ${own}->>'fingerprint_sha256')
        is not null
    order by r.region, r.scheduled_at desc, r.attempt desc`;
  return rows.map(({ region, tls, own }) => {
    const facts = own === null ? {} : { client_certificate: own };
    return { region, detail: { error: null, assertions: [], remote_ip: null, tls, facts } };
  });
}
