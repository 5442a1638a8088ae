import type { Sql } from '../../platform/db/sql.ts';

/** All projects, oldest first, as the command prints them. */
export function listProjects(sql: Sql): Promise<unknown[]> {
  return sql.rows`select id, name, plan, created_at from projects order by created_at`;
}

/** All tokens of a project, also revoked ones, oldest first. Their secrets are stored nowhere. */
export function listTokensOf(sql: Sql, projectId: string): Promise<unknown[]> {
  return sql.rows`
    select id, name, scopes, expires_at, last_used_at, revoked_at, created_at, created_by
    from tokens
    where project_id = ${projectId}
    order by created_at, id`;
}

/** The longest window that a flow of the project has now, in seconds; null if it has no flows. */
export async function findLongestWindow(sql: Sql, projectId: string): Promise<number | null> {
  const row = await sql.row<{ seconds: number | null }>`
    select max(v.window_seconds) as seconds
    from flows f
    join flow_versions v on v.flow_id = f.id and v.version = f.version
    where f.project_id = ${projectId}`;
  return row?.seconds ?? null;
}

/** All regions by code; `project_id` is null for shared ones. */
export function listRegions(sql: Sql): Promise<unknown[]> {
  return sql.rows`select code, name, project_id from regions order by code`;
}

/** Own domains of status pages, of one project or all, by name; also those that were removed. */
export function listPageDomains(sql: Sql, projectId: string | null): Promise<unknown[]> {
  return sql.rows`
    select d.id, d.domain, d.state, d.project_id, d.status_page_id, p.slug,
      coalesce(p.canonical_domain = d.domain, false) as canonical, d.error, d.checked_at, d.verified_at
    from page_domains d
    join status_pages p on p.id = d.status_page_id
    where ${projectId}::text is null or d.project_id = ${projectId}
    order by d.domain, d.id`;
}

/** All agents, also revoked ones, by region and name. */
export function listAgents(sql: Sql): Promise<unknown[]> {
  return sql.rows`
    select id, region, name, online, last_seen_at, revoked_at
    from agents
    order by region, name`;
}

/** The project that a command's options concern: named itself, or by a region, an agent or a monitor. Null: none. */
export async function findProjectOf(
  sql: Sql,
  { project = null, region = null, id = null, monitor = null }: Readonly<Record<string, string | null | undefined>>,
): Promise<string | null> {
  const row = await sql.row<{ project_id: string | null }>`
    select coalesce(
      ${project}::text,
      (select project_id from regions where code = ${region}),
      (select r.project_id from agents a join regions r on r.code = a.region where a.id = ${id}),
      (select project_id from monitors where id = ${monitor})
    ) as project_id`;
  return row?.project_id ?? null;
}

/** Changes of a project by anybody, or of all projects and of none by the operator. */
export function listChanges(sql: Sql, projectId: string | null): Promise<unknown[]> {
  return sql.rows`
    select at as changed_at, project_id, actor, actor_name, via, action, subject, name, before, after, detail
    from audit_entries
    where case when ${projectId}::text is null then actor = 'operator' else project_id = ${projectId} end
    order by at desc, id desc
    limit 200`;
}
