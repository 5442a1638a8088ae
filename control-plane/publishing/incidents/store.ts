import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import type { Impact, IncidentState, Severity } from '#shared/vocabulary.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import { type IncidentPatch, incidentUrl } from './incident.ts';

/** An incident with its page's slug and its updates. Instants are milliseconds since the epoch. */
export type IncidentRow = {
  id: string;
  project_id: string;
  status_page_id: string;
  slug: string;
  domain: string | null;
  alert_id: string | null;
  title: string;
  state: IncidentState;
  severity: Severity;
  impact: Impact;
  affected_components: string[];
  /** Oldest first. */
  updates: UpdateRow[];
  started_at: number;
  resolved_at: number | null;
  postmortem_url: string | null;
  postmortem_body: string | null;
  imported_from: string | null;
  created_at: number;
  updated_at: number;
};

/** Instants are text, since the row comes out of the database as JSON. */
type UpdateRow = { id: string; state: IncidentState; body: string; posted_at: string; edited_at: string | null };

/** State of the incident `i`: that of its latest update. */
const stateOf = fragment`
  coalesce(
    (select u.state from incident_updates u where u.incident_id = i.id order by u.posted_at desc limit 1),
    'investigating'
  )`;

const timeFormat = fragment`'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

/** Columns of an IncidentRow, of the incident `i` and its page `p`. */
const columns = fragment`
  i.id, i.project_id, i.status_page_id, i.alert_id, i.title, i.severity, i.impact, i.affected_components, i.started_at,
  i.resolved_at, i.postmortem_url, i.postmortem_body, i.imported_from, i.created_at, i.updated_at, p.slug,
  p.canonical_domain as domain, ${stateOf} as state,
  coalesce(
    (
      select json_agg(
        json_build_object(
          'id', u.id,
          'state', u.state,
          'body', u.body,
          'posted_at', to_char(u.posted_at at time zone 'UTC', ${timeFormat}),
          'edited_at', to_char(u.edited_at at time zone 'UTC', ${timeFormat})
        )
        order by u.posted_at
      )
      from incident_updates u
      where u.incident_id = i.id
    ),
    '[]'
  ) as updates`;

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

/**
 * Returns the id, or null when the project has no such page. The page is locked, so that it cannot be deleted before
 * this commits.
 */
export async function insertIncident(sql: Sql, incident: NewIncident, nowMs: number): Promise<string | null> {
  const row = await sql.row<{ id: string }>`
    insert into incidents (
      id, project_id, status_page_id, alert_id, title, severity, impact, affected_components, started_at, created_at,
      updated_at
    )
    select
      ${newId('inc', nowMs)}, p.project_id, p.id, ${incident.alertId}, ${incident.title}, ${incident.severity},
      ${incident.impact}, ${incident.affectedComponents}, ${instant(incident.startedAt)}, ${instant(nowMs)},
      ${instant(nowMs)}
    from status_pages p
    where p.project_id = ${incident.projectId}
      and p.id = ${incident.statusPageId}
      and p.deleted_at is null
    for share
    returning id`;
  return row?.id ?? null;
}

/** Null when the project has no such incident. */
export async function findIncident(sql: Sql, projectId: string, id: string): Promise<IncidentRow | null> {
  return sql.row<IncidentRow>`
    select ${columns}
    from incidents i
    join status_pages p on p.id = i.status_page_id
    where i.project_id = ${projectId}
      and i.id = ${id}
      and i.deleted_at is null`;
}

export type LockedIncident = Pick<
  IncidentRow,
  'id' | 'project_id' | 'status_page_id' | 'alert_id' | 'title' | 'state' | 'started_at' | 'resolved_at' | 'updated_at'
>;

/** Locks the incident for a change or an update. Null when there is no such incident, or when its page was deleted. */
export async function lockIncident(sql: Sql, projectId: string, id: string): Promise<LockedIncident | null> {
  return sql.row<LockedIncident>`
    select i.id, i.project_id, i.status_page_id, i.alert_id, i.title, ${stateOf} as state, i.started_at, i.resolved_at,
      i.updated_at
    from incidents i
    where i.project_id = ${projectId}
      and i.id = ${id}
      and i.deleted_at is null
      and exists (select from status_pages p where p.id = i.status_page_id and p.deleted_at is null)
    for update`;
}

/** Null means any. Incidents start in [fromMs, toMs). */
export type IncidentFilter = {
  states: readonly string[] | null;
  severities: readonly string[] | null;
  statusPageId: string | null;
  fromMs: number | null;
  toMs: number | null;
};

/** Latest start first. Reads one row more than the page shows. */
export async function listIncidents(
  sql: Sql,
  projectId: string,
  filter: IncidentFilter,
  page: Page,
): Promise<IncidentRow[]> {
  const { states, severities, statusPageId, fromMs, toMs } = filter;
  return sql.rows<IncidentRow>`
    select ${columns}
    from incidents i
    join status_pages p on p.id = i.status_page_id
    where i.project_id = ${projectId}
      and i.deleted_at is null
      and (${states}::text[] is null or ${stateOf} = any(${states}))
      and (${severities}::text[] is null or i.severity = any(${severities}))
      and (${statusPageId}::text is null or i.status_page_id = ${statusPageId})
      and (${instant(fromMs)}::timestamptz is null or i.started_at >= ${instant(fromMs)})
      and (${instant(toMs)}::timestamptz is null or i.started_at < ${instant(toMs)})
      and ${olderThan(page, fragment`i.started_at, i.id`)}
    order by i.started_at desc, i.id desc
    limit ${page.limit + 1}`;
}

/** What a patch can change. */
export async function readFields(sql: Sql, id: string): Promise<Required<IncidentPatch> | null> {
  return sql.row`
    select title, severity, impact, affected_components, started_at, postmortem_url, postmortem_body
    from incidents
    where id = ${id}`;
}

/** Changes the fields that the patch has. The incident must be locked. */
export async function updateIncident(sql: Sql, id: string, patch: IncidentPatch, nowMs: number): Promise<void> {
  const { postmortem_url: url, postmortem_body: body } = patch;
  await sql.run`
    update incidents
    set title = coalesce(${patch.title ?? null}, title),
      severity = coalesce(${patch.severity ?? null}, severity),
      impact = coalesce(${patch.impact ?? null}, impact),
      affected_components = coalesce(${patch.affected_components ?? null}::text[], affected_components),
      started_at = coalesce(${instant(patch.started_at ?? null)}::timestamptz, started_at),
      postmortem_url = case when ${url !== undefined} then ${url ?? null} else postmortem_url end,
      postmortem_body = case when ${body !== undefined} then ${body ?? null} else postmortem_body end,
      updated_at = ${instant(nowMs)}
    where id = ${id}`;
}

/** Resolves the incident at an instant, or reopens it when that is null. */
export async function setResolved(sql: Sql, id: string, resolvedAt: number | null, nowMs: number): Promise<void> {
  await sql.run`
    update incidents
    set resolved_at = ${instant(resolvedAt)}, updated_at = ${instant(nowMs)}
    where id = ${id}`;
}

export async function markIncidentDeleted(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`
    update incidents
    set deleted_at = ${instant(nowMs)}, updated_at = ${instant(nowMs)}
    where id = ${id}`;
}

/** Starts, in [from, to), of incidents promoted from the monitor's alerts or affecting one of its components. */
export async function listIncidentStarts(sql: Sql, monitorId: string, fromMs: number, toMs: number): Promise<number[]> {
  const rows = await sql.rows<{ started_at: number }>`
    select i.started_at
    from incidents i
    where i.deleted_at is null
      and i.started_at >= ${instant(fromMs)}
      and i.started_at < ${instant(toMs)}
      and i.project_id = (select project_id from monitors where id = ${monitorId})
      and (
        i.alert_id in (select id from alerts where monitor_id = ${monitorId})
        or i.affected_components && array(
          select component_id
          from component_monitors
          where monitor_id = ${monitorId}
        )
      )`;
  return rows.map(row => row.started_at);
}

/** The incident as the API shows it. The URL of a hosted post-mortem leads to the incident's page. */
export function viewIncident({ slug, domain, ...row }: IncidentRow, baseUrl: string) {
  const url = incidentUrl(baseUrl, { slug, domain }, row.id);
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
    imported_from: row.imported_from,
    url,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
