import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { AlertPolicy } from '../monitors/monitor.ts';
import type { AlertReason, AlertView } from './alert.ts';
import type { FailedResult } from './reason.ts';

export type AlertRow = {
  id: string;
  project_id: string;
  monitor_id: string;
  title: string;
  severity: AlertView['severity'];
  state: AlertView['state'];
  regions_failing: string[];
  regions: string[];
  quorum: number;
  reason: AlertReason;
  started_at: number;
  last_seen_at: number;
  acknowledged_at: number | null;
  escalated_at: number | null;
  resolved_at: number | null;
  incident_id: string | null;
  created_at: number;
};

export type NewAlert = {
  projectId: string;
  monitorId: string;
  title: string;
  severity: string;
  regionsFailing: readonly string[];
  regions: readonly string[];
  quorum: number;
  reason: AlertReason;
  startedAt: number;
};

// While an alert is unresolved it was last seen when a failing region last failed.
const columns = `a.id, a.project_id, a.monitor_id, a.title, a.severity, a.state, a.regions_failing, a.regions, a.quorum, a.reason, a.started_at,
  greatest(a.last_seen_at, case when a.state <> 'resolved' then (select to_timestamp(max((vote.value->>'as_of')::double precision) / 1000)
    from monitor_states s, json_each(s.votes) as vote where s.monitor_id = a.monitor_id and vote.value->>'vote' = 'down') end) as last_seen_at,
  a.acknowledged_at, a.escalated_at, a.resolved_at, a.incident_id, a.created_at`;

/** Null when the monitor has an unresolved alert already. */
export async function insertAlert(sql: Sql, alert: NewAlert, nowMs: number): Promise<string | null> {
  const row = await sql.row<{ id: string }>(
    `insert into alerts (id, project_id, monitor_id, title, severity, state, regions_failing, regions, quorum, reason, started_at, last_seen_at, created_at)
     values ($1, $2, $3, $4, $5, 'open', $6, $7, $8, $9, $10, $11, $11) on conflict (monitor_id) where state <> 'resolved' do nothing returning id`,
    [
      newId('alt', nowMs),
      alert.projectId,
      alert.monitorId,
      alert.title,
      alert.severity,
      alert.regionsFailing,
      alert.regions,
      alert.quorum,
      JSON.stringify(alert.reason),
      instant(alert.startedAt),
      instant(nowMs),
    ],
  );
  return row?.id ?? null;
}

/** Id of the alert that was resolved, or null when none was unresolved. `lastSeenAt`: when a failing region last failed. */
export async function resolveAlertOf(
  sql: Sql,
  monitorId: string,
  resolvedAt: number,
  lastSeenAt: number | null,
): Promise<string | null> {
  const row = await sql.row<{ id: string }>(
    `update alerts set state = 'resolved', resolved_at = greatest($2::timestamptz, started_at), last_seen_at = coalesce($3::timestamptz, last_seen_at)
     where monitor_id = $1 and state <> 'resolved' returning id`,
    [monitorId, instant(resolvedAt), instant(lastSeenAt)],
  );
  return row?.id ?? null;
}

/** Adds regions that fail too: an alert names every region that failed while it was open. */
export async function addFailingRegions(sql: Sql, monitorId: string, regions: readonly string[]): Promise<void> {
  await sql.run(
    `update alerts a set regions_failing = array(select region from unnest(a.regions) as region where region = any(a.regions_failing) or region = any($2::text[]))
     where a.monitor_id = $1 and a.state <> 'resolved'`,
    [monitorId, regions],
  );
}

/** The newest failed attempt of one of the regions. */
export async function findFailure(
  sql: Sql,
  monitorId: string,
  regions: readonly string[],
  sinceMs: number,
): Promise<FailedResult | null> {
  return sql.row<FailedResult>(
    `select region, status_code, detail from check_results where monitor_id = $1 and scheduled_at >= $3 and region = any($2::text[]) and status = 'err'
     order by scheduled_at desc, attempt desc limit 1`,
    [monitorId, regions, instant(sinceMs)],
  );
}

export async function findPolicy(sql: Sql, monitorId: string): Promise<{ name: string; policy: AlertPolicy } | null> {
  return sql.row('select name, alert_policy as policy from monitors where id = $1', [monitorId]);
}

/** True when the alert was open and is acknowledged now. */
export async function acknowledge(sql: Sql, projectId: string, id: string, nowMs: number): Promise<boolean> {
  return (
    (await sql.run(
      "update alerts set state = 'acknowledged', acknowledged_at = $3 where project_id = $1 and id = $2 and state = 'open'",
      [projectId, id, instant(nowMs)],
    )) === 1
  );
}

/** Marks alerts whose policy's time is over, each once: still open, not acknowledged, the monitor not paused. */
export async function escalateDue(
  sql: Sql,
  nowMs: number,
): Promise<{ id: string; project_id: string; monitor_id: string }[]> {
  return sql.rows(
    `update alerts a set escalated_at = $1 from monitors m where m.id = a.monitor_id and m.enabled and m.deleted_at is null and a.state = 'open'
       and a.escalated_at is null and a.started_at + (m.alert_policy->>'escalate_after_minutes')::integer * interval '1 minute' <= $1
     returning a.id, a.project_id, a.monitor_id`,
    [instant(nowMs)],
  );
}

export async function findAlert(sql: Sql, projectId: string, id: string): Promise<AlertRow | null> {
  return sql.row<AlertRow>(`select ${columns} from alerts a where a.project_id = $1 and a.id = $2`, [projectId, id]);
}

export type AlertFilter = {
  states: readonly string[] | null;
  severities: readonly string[] | null;
  monitorId: string | null;
  fromMs: number | null;
  toMs: number | null;
};

/** Latest start first. */
export async function listAlerts(sql: Sql, projectId: string, filter: AlertFilter, page: Page): Promise<AlertRow[]> {
  return sql.rows<AlertRow>(
    `select ${columns} from alerts a where a.project_id = $1 and ($2::text[] is null or a.state = any($2)) and ($3::text[] is null or a.severity = any($3))
       and ($4::text is null or a.monitor_id = $4) and ($5::timestamptz is null or a.started_at >= $5) and ($6::timestamptz is null or a.started_at < $6)
       and ($7::timestamptz is null or (a.started_at, a.id) < ($7, $8)) order by a.started_at desc, a.id desc limit $9`,
    [
      projectId,
      filter.states,
      filter.severities,
      filter.monitorId,
      instant(filter.fromMs),
      instant(filter.toMs),
      instant(page.after?.[0] ?? null),
      page.after?.[1] ?? null,
      page.limit + 1,
    ],
  );
}

/** Alerts of a monitor that were open at or after the instant. */
export async function listAlertTimes(
  sql: Sql,
  monitorId: string,
  fromMs: number,
): Promise<{ id: string; started_at: number; resolved_at: number | null }[]> {
  return sql.rows(
    'select id, started_at, resolved_at from alerts where monitor_id = $1 and (resolved_at is null or resolved_at >= $2) for update',
    [monitorId, instant(fromMs)],
  );
}

export async function moveAlert(sql: Sql, id: string, startedAt: number, resolvedAt: number | null): Promise<void> {
  await sql.run('update alerts set started_at = $2, resolved_at = $3 where id = $1', [
    id,
    instant(startedAt),
    instant(resolvedAt),
  ]);
}

export function viewAlert(row: AlertRow): AlertView {
  const time = (ms: number | null) => (ms === null ? null : toTimestamp(ms));
  return {
    ...row,
    started_at: toTimestamp(row.started_at),
    last_seen_at: toTimestamp(row.last_seen_at),
    acknowledged_at: time(row.acknowledged_at),
    escalated_at: time(row.escalated_at),
    resolved_at: time(row.resolved_at),
    created_at: toTimestamp(row.created_at),
  };
}
