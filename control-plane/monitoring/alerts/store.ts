import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import type { AlertKind } from '#shared/vocabulary.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { isLeftOut } from '../../platform/failures/store.ts';
import { findVersions } from '../checks/intake/version-store.ts';
import { storableJson } from '../checks/storage/detail.ts';
import { findNewestOf } from '../checks/storage/history-store.ts';
import { isSuppressedAt } from '../memberships/suppression-store.ts';
import type { Labels } from '../monitors/labels/labels.ts';
import type { AlertPolicy } from '../monitors/monitor.ts';
import type { Acknowledger, AlertReason, AlertView } from './alert.ts';
import type { FailedResult } from './reason.ts';

/** A row of `alerts`, read with `alertColumns`. Instants in milliseconds since the epoch. */
export type AlertRow = {
  id: string;
  project_id: string;
  monitor_id: string;
  kind: AlertKind;
  title: string;
  severity: AlertView['severity'];
  state: AlertView['state'];
  regions_failing: string[];
  regions: string[];
  quorum: number;
  reason: AlertReason;
  labels: Labels;
  started_at: number;
  opened_at: number;
  rules_version: number | null;
  held: boolean;
  held_since: number | null;
  released_at: number | null;
  flapping_since: number | null;
  last_seen_at: number;
  acknowledged_at: number | null;
  acknowledged_by: Acknowledger | null;
  escalated_at: number | null;
  resolved_at: number | null;
  superseded_by: string | null;
  group_id: string | null;
  incident_id: string | null;
  created_at: number;
};

export type NewAlert = {
  projectId: string;
  monitorId: string;
  kind: AlertKind;
  title: string;
  severity: string;
  regionsFailing: readonly string[];
  regions: readonly string[];
  quorum: number;
  reason: AlertReason;
  labels: Labels;
  rulesVersion: number;
  startedAt: number;
  openedAt: number;
  held?: boolean;
};

// While an alert is unresolved, it was last seen when a failing region last failed, or a region saw a certificate, or a
// registry named the end of a domain.
const lastSeenAt = fragment`
  greatest(a.last_seen_at, case when a.kind = 'down' and a.state <> 'resolved' then (
    select to_timestamp(max((vote.value->>'as_of')::double precision) / 1000)
    from monitor_states s, json_each(s.votes) as vote
    where s.monitor_id = a.monitor_id and vote.value->>'vote' = 'down'
  ) when a.kind in ('certificate', 'domain') and a.own_state <> 'resolved' then (
    select to_timestamp(max((seen.value->>'at')::double precision) / 1000)
    from monitor_states s, json_each(s.certificates->'watch'->'facts') as seen
    where s.monitor_id = a.monitor_id
  ) end) as last_seen_at`;
/** Columns of `alerts a`. */
export const alertColumns = fragment`
  a.id, a.project_id, a.monitor_id, a.kind, a.title, a.severity, a.current_state as state, a.regions_failing, a.regions,
  a.quorum, a.reason, a.labels, a.started_at, coalesce(a.opened_at, a.created_at) as opened_at, a.rules_version, a.held,
  a.held_since, a.released_at, a.flapping_since, ${lastSeenAt}, a.acknowledged_at, a.acknowledged_by, a.escalated_at,
  a.resolved_at, a.superseded_by, a.group_id, a.incident_id, a.created_at`;

/** The new alert's id, or null if the monitor already has an unresolved alert of the kind. */
export async function insertAlert(sql: Sql, alert: NewAlert, nowMs: number): Promise<string | null> {
  const { held = false } = alert;
  const row = await sql.row<{ id: string }>`
    insert into alerts (
      id, project_id, monitor_id, kind, title, severity, state, own_state, regions_failing, regions, quorum, reason,
      labels, rules_version, started_at, opened_at, held, held_since, told_at, last_seen_at, created_at
    )
    values (
      ${newId('alt', nowMs)},
      ${alert.projectId},
      ${alert.monitorId},
      ${alert.kind},
      ${alert.title},
      ${alert.severity},
      ${alert.kind === 'down' ? 'open' : 'resolved'},
      ${alert.kind === 'down' ? null : 'open'},
      ${alert.regionsFailing},
      ${alert.regions},
      ${alert.quorum},
      ${storableJson(alert.reason)},
      ${JSON.stringify(alert.labels)},
      ${alert.rulesVersion},
      ${instant(alert.startedAt)},
      ${instant(alert.openedAt)},
      ${held},
      ${held ? instant(alert.openedAt) : null},
      ${held ? null : instant(nowMs)},
      ${instant(nowMs)},
      ${instant(nowMs)}
    )
    on conflict do nothing
    returning id`;
  return row?.id ?? null;
}

/** Adds failing regions to the unresolved alert. An alert names every region that failed while it was open. */
export async function addFailingRegions(sql: Sql, monitorId: string, regions: readonly string[]): Promise<void> {
  await sql.run`
    update alerts a
    set regions_failing = array(
      select region
      from unnest(a.regions) as region
      where region = any(a.regions_failing) or region = any(${regions}::text[])
    )
    where a.monitor_id = ${monitorId} and a.kind = 'down' and a.state <> 'resolved'`;
}

/** The newest attempt in one of the regions since the instant that failed, or also warned if degraded; or null. */
export async function findFailure(
  sql: Sql,
  monitorId: string,
  regions: readonly string[],
  kind: 'down' | 'degraded',
  sinceMs: number,
): Promise<FailedResult | null> {
  const statuses = kind === 'degraded' ? ['err', 'warn'] : ['err'];
  const found = await findNewestOf(sql, { monitorId, regions, statuses, sinceMs });
  if (found === null) return null;
  const [version] = await findVersions(sql, [[monitorId, found.config_version]]);
  return { ...found, warnOn: version?.rules.warnOn ?? [] };
}

/** A monitor's policy, deleted ones included; null if there is none. */
export async function findPolicy(sql: Sql, monitorId: string): Promise<AlertPolicy | null> {
  const row = await sql.row<{ policy: AlertPolicy }>`
    select alert_policy as policy
    from monitors
    where id = ${monitorId}`;
  return row?.policy ?? null;
}

/** Marks open, unacknowledged alerts of enabled monitors as escalated when their policy's time is over, each once. */
export async function lockToEscalate(
  sql: Sql,
  nowMs: number,
): Promise<{ id: string; project_id: string; monitor_id: string }[]> {
  return sql.rows`
    select a.id, a.project_id, a.monitor_id
    from alerts a
    join monitors m on m.id = a.monitor_id
    where m.enabled
      and m.deleted_at is null
      and a.kind = 'down'
      and a.state = 'open'
      and a.escalated_at is null
      and a.told_at <= ${instant(nowMs)}
      and not a.held
      and coalesce(a.released_at, a.started_at)
        + (m.alert_policy->>'escalate_after_minutes')::integer * interval '1 minute'
        + a.held_ms * interval '1 millisecond' <= ${instant(nowMs)}
      and not ${isSuppressedAt(fragment`a.monitor_id`, nowMs)}
      and not ${isLeftOut('escalation', fragment`a.id`, nowMs)}
    order by a.id
    for update of a skip locked`;
}

/** Marks a locked alert as escalated. */
export async function markEscalated(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`update alerts set escalated_at = ${instant(nowMs)} where id = ${id}`;
}

/** Null if the project has no such alert. */
export async function findAlert(sql: Sql, projectId: string, id: string): Promise<AlertRow | null> {
  return sql.row<AlertRow>`
    select ${alertColumns}
    from alerts a
    where a.project_id = ${projectId} and a.id = ${id}`;
}

export type AlertTimes = { started_at: number; resolved_at: number | null };

/** An alert whose times follow the verdict. */
export type TimedAlert = AlertTimes & { kind: 'down' | 'degraded'; superseded: boolean };

/** Locks the alerts of a monitor, but those about an end, that were unresolved at or after the instant. */
export async function lockAlertTimes(
  sql: Sql,
  monitorId: string,
  fromMs: number,
): Promise<(TimedAlert & { id: string })[]> {
  return sql.rows`
    select id, kind, started_at, resolved_at, superseded_by is not null as superseded
    from alerts
    where monitor_id = ${monitorId}
      and kind in ('down', 'degraded')
      and (resolved_at is null or resolved_at >= ${instant(fromMs)})
    for update`;
}

export async function writeAlertTimes(sql: Sql, id: string, { started_at, resolved_at }: AlertTimes): Promise<void> {
  await sql.run`
    update alerts
    set started_at = ${instant(started_at)}, resolved_at = ${instant(resolved_at)}
    where id = ${id}`;
}

export function viewAlert(row: AlertRow): AlertView {
  const time = (ms: number | null) => (ms === null ? null : toTimestamp(ms));
  return {
    ...row,
    reason: { phase: null, host: null, step: null, diagnosis: null, ...row.reason },
    started_at: toTimestamp(row.started_at),
    opened_at: toTimestamp(row.opened_at),
    held_since: time(row.held_since),
    released_at: time(row.released_at),
    flapping_since: time(row.flapping_since),
    last_seen_at: toTimestamp(row.last_seen_at),
    acknowledged_at: time(row.acknowledged_at),
    escalated_at: time(row.escalated_at),
    resolved_at: time(row.resolved_at),
    created_at: toTimestamp(row.created_at),
  };
}
