import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { Severity } from '../monitors/monitor.ts';
import { type IncidentPatch, incidentUrl } from './incident.ts';
import type { Impact, IncidentState } from './incident-words.ts';

export type IncidentRow = {
  id: string;
  project_id: string;
  status_page_id: string;
  slug: string;
  alert_id: string | null;
  title: string;
  state: IncidentState;
  severity: Severity;
  impact: Impact;
  affected_components: string[];
  updates: UpdateRow[];
  started_at: number;
  resolved_at: number | null;
  postmortem_url: string | null;
  postmortem_body: string | null;
  created_at: number;
  updated_at: number;
};

/** In json, so instants are text. */
type UpdateRow = { id: string; state: IncidentState; body: string; posted_at: string; edited_at: string | null };

const time = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** The state is that of the latest update. */
export const stateOf = `coalesce((select u.state from incident_updates u where u.incident_id = i.id order by u.posted_at desc limit 1), 'investigating')`;
const listed = `select i.*, p.slug, ${stateOf} as state,
  coalesce((select json_agg(json_build_object('id', u.id, 'state', u.state, 'body', u.body, 'posted_at', ${time('u.posted_at')}, 'edited_at', ${time('u.edited_at')}) order by u.posted_at)
    from incident_updates u where u.incident_id = i.id), '[]') as updates
  from incidents i join status_pages p on p.id = i.status_page_id`;

export type NewIncident = {
  projectId: string;
  statusPageId: string;
  alertId: string | null;
  title: string;
  severity: Severity;
  impact: Impact;
  affectedComponents: readonly string[];
  startedAt: number;
};

/** Null when the page does not exist in the project. The page cannot be deleted before this commits. */
export async function insertIncident(sql: Sql, incident: NewIncident, nowMs: number): Promise<string | null> {
  const row = await sql.row<{ id: string }>(
    `insert into incidents (id, project_id, status_page_id, alert_id, title, severity, impact, affected_components, started_at, created_at, updated_at)
     select $1, p.project_id, p.id, $4, $5, $6, $7, $8, $9, $10, $10 from status_pages p
     where p.project_id = $2 and p.id = $3 and p.deleted_at is null for share returning id`,
    [
      newId('inc', nowMs),
      incident.projectId,
      incident.statusPageId,
      incident.alertId,
      incident.title,
      incident.severity,
      incident.impact,
      incident.affectedComponents,
      instant(incident.startedAt),
      instant(nowMs),
    ],
  );
  return row?.id ?? null;
}

export async function findIncident(sql: Sql, projectId: string, id: string): Promise<IncidentRow | null> {
  return sql.row<IncidentRow>(`${listed} where i.project_id = $1 and i.id = $2 and i.deleted_at is null`, [
    projectId,
    id,
  ]);
}

export type LockedIncident = {
  id: string;
  project_id: string;
  status_page_id: string;
  alert_id: string | null;
  started_at: number;
  resolved_at: number | null;
};

/** Whoever changes an incident or posts to it holds its row. Null also when its page was deleted: nobody would read it. */
export async function lockIncident(sql: Sql, projectId: string, id: string): Promise<LockedIncident | null> {
  return sql.row<LockedIncident>(
    `select id, project_id, status_page_id, alert_id, started_at, resolved_at from incidents
     where project_id = $1 and id = $2 and deleted_at is null
       and exists (select 1 from status_pages p where p.id = status_page_id and p.deleted_at is null) for update`,
    [projectId, id],
  );
}

export type IncidentFilter = {
  states: readonly string[] | null;
  severities: readonly string[] | null;
  statusPageId: string | null;
  fromMs: number | null;
  toMs: number | null;
};

/** Latest start first. */
export async function listIncidents(
  sql: Sql,
  projectId: string,
  filter: IncidentFilter,
  page: Page,
): Promise<IncidentRow[]> {
  return sql.rows<IncidentRow>(
    `${listed} where i.project_id = $1 and i.deleted_at is null and ($2::text[] is null or ${stateOf} = any($2)) and ($3::text[] is null or i.severity = any($3))
       and ($4::text is null or i.status_page_id = $4) and ($5::timestamptz is null or i.started_at >= $5) and ($6::timestamptz is null or i.started_at < $6)
       and ($7::timestamptz is null or (i.started_at, i.id) < ($7, $8)) order by i.started_at desc, i.id desc limit $9`,
    [
      projectId,
      filter.states,
      filter.severities,
      filter.statusPageId,
      instant(filter.fromMs),
      instant(filter.toMs),
      instant(page.after?.[0] ?? null),
      page.after?.[1] ?? null,
      page.limit + 1,
    ],
  );
}

export async function updateIncident(sql: Sql, id: string, patch: IncidentPatch, nowMs: number): Promise<void> {
  await sql.run(
    `update incidents set title = coalesce($2, title), severity = coalesce($3, severity), impact = coalesce($4, impact),
       affected_components = coalesce($5::text[], affected_components), started_at = coalesce($6::timestamptz, started_at),
       postmortem_url = case when $7 then $8 else postmortem_url end, postmortem_body = case when $9 then $10 else postmortem_body end,
       updated_at = $11 where id = $1`,
    [
      id,
      patch.title ?? null,
      patch.severity ?? null,
      patch.impact ?? null,
      patch.affected_components ?? null,
      instant(patch.started_at ?? null),
      patch.postmortem_url !== undefined,
      patch.postmortem_url ?? null,
      patch.postmortem_body !== undefined,
      patch.postmortem_body ?? null,
      instant(nowMs),
    ],
  );
}

/** `resolvedAt` null opens it again. */
export async function setResolved(sql: Sql, id: string, resolvedAt: number | null, nowMs: number): Promise<void> {
  await sql.run('update incidents set resolved_at = $2, updated_at = $3 where id = $1', [
    id,
    instant(resolvedAt),
    instant(nowMs),
  ]);
}

export async function markIncidentDeleted(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run('update incidents set deleted_at = $2, updated_at = $2 where id = $1', [id, instant(nowMs)]);
}

/** Starts, in [from, to), of incidents promoted from the monitor's alerts or affecting one of its components. */
export async function listIncidentStarts(sql: Sql, monitorId: string, fromMs: number, toMs: number): Promise<number[]> {
  const rows = await sql.rows<{ started_at: number }>(
    `select i.started_at from incidents i where i.deleted_at is null and i.started_at >= $2 and i.started_at < $3
       and i.project_id = (select project_id from monitors where id = $1)
       and (i.alert_id in (select id from alerts where monitor_id = $1)
         or i.affected_components && array(select component_id from component_monitors where monitor_id = $1))`,
    [monitorId, instant(fromMs), instant(toMs)],
  );
  return rows.map(row => row.started_at);
}

export function viewIncident({ slug, ...row }: IncidentRow, baseUrl: string) {
  const url = incidentUrl(baseUrl, slug, row.id);
  const hosted = row.postmortem_body === null ? null : `${url}#postmortem`;
  return {
    id: row.id,
    project_id: row.project_id,
    status_page_id: row.status_page_id,
    alert_id: row.alert_id,
    title: row.title,
    state: row.state,
    severity: row.severity,
    impact: row.impact,
    affected_components: row.affected_components,
    updates: row.updates,
    started_at: toTimestamp(row.started_at),
    resolved_at: row.resolved_at === null ? null : toTimestamp(row.resolved_at),
    postmortem_url: row.postmortem_url ?? hosted,
    postmortem_body: row.postmortem_body,
    url,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
