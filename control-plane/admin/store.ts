import type { Sql } from '../db/sql.ts';

/** All projects, oldest first, as the command prints them. */
export function listProjects(sql: Sql): Promise<unknown[]> {
  return sql.rows`select id, name, plan, created_at from projects order by created_at`;
}

/** All regions by code; `project_id` is null for shared ones. */
export function listRegions(sql: Sql): Promise<unknown[]> {
  return sql.rows`select code, name, project_id from regions order by code`;
}

/** All agents, also revoked ones, by region and name. */
export function listAgents(sql: Sql): Promise<unknown[]> {
  return sql.rows`
    select id, region, name, online, last_seen_at, revoked_at
    from agents
    order by region, name`;
}
