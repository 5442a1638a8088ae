import { instant, type Sql } from '#control-plane/platform/db/sql.ts';

type Owner = { projectId: string; statusPageId: string };

/** Components that share one monitor, which went down for ten minutes on every fifth day. */
export async function addMeasuredComponents(sql: Sql, page: Owner, count: number, nowMs: number): Promise<void> {
  const monitorId = `mon_${page.statusPageId}`;
  await sql.run`
    insert into monitors (id, project_id, name, url, method, interval_seconds, timeout_ms, regions, quorum, assertions,
      sealed_headers, follow_redirects, alert_policy, enabled, config_version,
      configured_at, created_at, updated_at)
    values (${monitorId}, ${page.projectId}, 'x', 'http://127.0.0.1:9', 'GET', 3600, 1000, '{}', 1, '[]', '', true,
      '{}', true, 1, ${instant(nowMs)}, ${instant(nowMs)}, ${instant(nowMs)})`;
  await sql.run`
    insert into monitor_states (monitor_id, project_id, config_version, regions, quorum, interval_ms, timeout_ms,
      enabled, deleted, verdict, since, floor, votes)
    values (${monitorId}, ${page.projectId}, 1, '{r}', 1, 3600000, 1000, true, false, 'up', ${instant(nowMs)},
      ${instant(nowMs)}, '{}')`;
  await sql.run`
    insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
    select ${monitorId}, ${instant(nowMs)}::timestamptz - day * interval '1 day' + minutes * interval '1 minute',
      ${page.projectId}, verdict, '{}', 1
    from generate_series(1, 400, 5) as day
    cross join (values (0, 'down'), (10, 'up')) as change (minutes, verdict)`;
  await sql.run`
    insert into components (id, project_id, status_page_id, name, description, position, status, show_uptime,
      created_at, updated_at)
    select 'comp_' || ${page.statusPageId}::text || '_' || number, ${page.projectId}, ${page.statusPageId},
      'Component ' || number, '', number, 'operational', true, ${instant(nowMs)}, ${instant(nowMs)}
    from generate_series(1, ${count}::integer) as number`;
  await sql.run`
    insert into component_monitors (component_id, monitor_id, project_id)
    select id, ${monitorId}, project_id
    from components
    where status_page_id = ${page.statusPageId}`;
}

/** Gives each component of the page a monitor of its own beside those it has. */
export async function addQuietMonitors(sql: Sql, page: Owner, nowMs: number): Promise<void> {
  await sql.run`
    insert into monitors (id, project_id, name, url, method, interval_seconds, timeout_ms, regions, quorum, assertions,
      sealed_headers, follow_redirects, alert_policy, enabled, config_version,
      configured_at, created_at, updated_at)
    select 'mon_' || id, project_id, 'x', 'http://127.0.0.1:9', 'GET', 3600, 1000, '{}', 1, '[]', '', true,
      '{}', true, 1, ${instant(nowMs)}, ${instant(nowMs)}, ${instant(nowMs)}
    from components
    where status_page_id = ${page.statusPageId}`;
  await sql.run`
    insert into monitor_states (monitor_id, project_id, config_version, regions, quorum, interval_ms, timeout_ms,
      enabled, deleted, verdict, since, floor, votes)
    select 'mon_' || id, project_id, 1, '{r}', 1, 3600000, 1000, true, false, 'up', ${instant(nowMs)},
      ${instant(nowMs)}, '{}'
    from components
    where status_page_id = ${page.statusPageId}`;
  await sql.run`
    insert into component_monitors (component_id, monitor_id, project_id)
    select id, 'mon_' || id, project_id
    from components
    where status_page_id = ${page.statusPageId}`;
}

/** Open incidents with updates of the same text. */
export async function addIncidents(
  sql: Sql,
  page: Owner,
  { incidents, updates, body }: { incidents: number; updates: number; body: string },
  nowMs: number,
): Promise<void> {
  await sql.run`
    insert into incidents (id, project_id, status_page_id, title, severity, impact, affected_components, started_at,
      created_at, updated_at)
    select 'inc_' || ${page.statusPageId}::text || '_' || number, ${page.projectId}, ${page.statusPageId},
      'Incident ' || number, 'p2', 'partial', '{}', ${instant(nowMs)}, ${instant(nowMs)}, ${instant(nowMs)}
    from generate_series(1, ${incidents}::integer) as number`;
  await sql.run`
    insert into incident_updates (id, incident_id, project_id, status_page_id, state, body, posted_at, feed_at)
    select 'upd_' || incidents.id || '_' || number, incidents.id, project_id, status_page_id, 'identified',
      ${body} || ' number ' || number, ${instant(nowMs)}::timestamptz + number * interval '1 millisecond',
      date_trunc('second', ${instant(nowMs)}::timestamptz)
    from incidents
    cross join generate_series(1, ${updates}::integer) as number
    where status_page_id = ${page.statusPageId}`;
}
