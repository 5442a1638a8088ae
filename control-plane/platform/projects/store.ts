import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { olderThan } from '../db/keyset.ts';
import { fragment, instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/endpoint/pagination.ts';
import { eventRetentionDays, type Plan, type Project } from './project.ts';
import type { TokenView } from './token.ts';

type ProjectRow = {
  id: string;
  name: string;
  plan: Plan;
  event_retention_days: number;
  sustained_per_second: number;
  burst_per_second: number;
  burst_seconds: number;
  allowed_origins: string[];
  group_wait_seconds: number;
  group_join_seconds: number;
  region_silent_after_seconds: number | null;
  agent_silent_after_seconds: number | null;
  link_sessions: boolean;
  created_at: number;
};

const projectColumns = fragment`
  id, name, plan, event_retention_days,
  sustained_per_second, burst_per_second, burst_seconds, allowed_origins, group_wait_seconds, group_join_seconds,
  region_silent_after_seconds, agent_silent_after_seconds, link_sessions, created_at`;

/** A row of `tokens` without its hash; instants in milliseconds. */
export type TokenRow = {
  id: string;
  project_id: string;
  name: string;
  scopes: string[];
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  created_at: number;
  /** The token or the person that made it. */
  created_by: string | null;
  /** Whose token it is; null for one of the project. */
  person_id: string | null;
};

export const tokenColumns = fragment`
  id, project_id, name, coalesce(personal_scopes, scopes) as scopes, expires_at, last_used_at, revoked_at, created_at,
  coalesce(created_by, created_by_person) as created_by, person_id`;

export type NewToken = {
  projectId: string;
  name: string;
  scopes: readonly string[];
  hash: Uint8Array;
  expiresAt: number | null;
  /** The token or the person that makes it; null for the operator. */
  createdBy: { type: 'token' | 'person'; id: string } | null;
  /** Whose token it is: it can do no more than their role allows. Not given: the project's. */
  personId?: string;
};

/** Creates a project with the limits of the table's defaults and the retention of its plan. */
export async function insertProject(sql: Sql, name: string, plan: Plan, nowMs: number): Promise<Project> {
  const row = await sql.row<ProjectRow>`
    insert into projects (id, name, plan, event_retention_days, created_at)
    values (${newId('proj', nowMs)}, ${name}, ${plan}, ${eventRetentionDays(plan)}, ${instant(nowMs)})
    returning ${projectColumns}`;
  return toProject(row as ProjectRow);
}

/** Like `findProject`; locks the row until the transaction ends. */
export async function lockProject(sql: Sql, id: string): Promise<Project | null> {
  const row = await sql.row<ProjectRow>`
    select ${projectColumns}
    from projects
    where id = ${id}
    for no key update`;
  return row === null ? null : toProject(row);
}

/** Locks several projects until the transaction ends, in the order of their ids. */
export async function lockProjects(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.rows`select from projects where id = any(${ids}) order by id for no key update`;
}

/** Null if there is no such project. */
export async function findProject(sql: Sql, id: string): Promise<Project | null> {
  const row = await sql.row<ProjectRow>`
    select ${projectColumns}
    from projects
    where id = ${id}`;
  return row === null ? null : toProject(row);
}

/** Changes the fields that are given; null if there is no such project. */
export async function updateProject(
  sql: Sql,
  id: string,
  change: {
    [Field in 'name' | 'allowed_origins' | 'grouping' | 'notices' | 'link_sessions']?: Project[Field] | undefined;
  },
  nowMs: number,
): Promise<Project | null> {
  const { notices } = change;
  const keeps = notices === undefined;
  const row = await sql.row<ProjectRow>`
    update projects set
      name = coalesce(${change.name ?? null}, name),
      allowed_origins = coalesce(${change.allowed_origins ?? null}::text[], allowed_origins),
      link_sessions = coalesce(${change.link_sessions ?? null}, link_sessions),
      links_switched_at =
        case when link_sessions <> ${change.link_sessions ?? null}::boolean then ${instant(nowMs)}::timestamptz
          else links_switched_at end,
      group_wait_seconds = coalesce(${change.grouping?.wait_seconds ?? null}, group_wait_seconds),
      group_join_seconds = coalesce(${change.grouping?.join_seconds ?? null}, group_join_seconds),
      region_silent_after_seconds =
        case when ${keeps} then region_silent_after_seconds else ${notices?.region_silent_after_seconds ?? null} end,
      agent_silent_after_seconds =
        case when ${keeps} then agent_silent_after_seconds else ${notices?.agent_silent_after_seconds ?? null} end
    where id = ${id}
    returning ${projectColumns}`;
  return row === null ? null : toProject(row);
}

/** Sets the ingest limits; replicas apply them from the next request on. Null if there is no such project. */
export async function updateLimits(sql: Sql, id: string, limits: Project['ingest_limits']): Promise<Project | null> {
  const row = await sql.row<ProjectRow>`
    update projects set
      sustained_per_second = ${limits.sustained_per_second},
      burst_per_second = ${limits.burst_per_second},
      burst_seconds = ${limits.burst_seconds}
    where id = ${id}
    returning ${projectColumns}`;
  return row === null ? null : toProject(row);
}

export async function insertToken(sql: Sql, token: NewToken, nowMs: number): Promise<TokenView> {
  const { createdBy: maker, personId = null } = token;
  const row = await sql.row<TokenRow>`
    insert into tokens (id, project_id, name, hash, scopes, expires_at, created_at, created_by, created_by_person,
      person_id, personal_scopes)
    values (
      ${newId('tok', nowMs)}, ${token.projectId}, ${token.name}, ${token.hash},
      ${personId === null ? token.scopes : []}, ${instant(token.expiresAt)}, ${instant(nowMs)},
      ${maker?.type === 'token' ? maker.id : null}, ${maker?.type === 'person' ? maker.id : null}, ${personId},
      ${personId === null ? null : token.scopes}
    )
    returning ${tokenColumns}`;
  return toTokenView(row as TokenRow);
}

/** Keeps a token from being revoked until the transaction ends. False if it is revoked already. */
export async function lockLivingToken(sql: Sql, id: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from tokens
    where id = ${id} and revoked_at is null
    for share`;
  return row !== null;
}

/** Newest first, with one more than the page's limit if there are more. */
export async function listTokens(sql: Sql, projectId: string, page: Page): Promise<TokenRow[]> {
  return sql.rows<TokenRow>`
    select ${tokenColumns}
    from tokens
    where project_id = ${projectId} and ${olderThan(page, fragment`created_at, id`)}
    order by created_at desc, id desc
    limit ${page.limit + 1}`;
}

/** Locks the token until the transaction ends; null if the project has no such one. */
export async function lockToken(sql: Sql, projectId: string, id: string): Promise<TokenRow | null> {
  return sql.row<TokenRow>`
    select ${tokenColumns}
    from tokens
    where project_id = ${projectId} and id = ${id}
    for update`;
}

/** Revoking again changes nothing. */
export async function revokeToken(sql: Sql, projectId: string, id: string, nowMs: number): Promise<void> {
  await sql.run`
    update tokens set revoked_at = coalesce(revoked_at, ${instant(nowMs)})
    where project_id = ${projectId} and id = ${id}`;
}

/** Revokes the tokens that one of these made. Returns all that they made, also those that were revoked before. */
export async function revokeMadeBy(
  sql: Sql,
  projectId: string,
  makers: readonly string[],
  nowMs: number,
): Promise<{ id: string; name: string; isRevokedNow: boolean }[]> {
  return sql.rows`
    with made as (
      select id, revoked_at is null as is_living
      from tokens
      where project_id = ${projectId} and created_by = any(${makers}::text[])
      for update
    )
    update tokens t set revoked_at = coalesce(t.revoked_at, ${instant(nowMs)})
    from made
    where t.id = made.id
    returning t.id, t.name, made.is_living as "isRevokedNow"`;
}

/** Stores when a token was used last. Called once per minute and token at most: a busy token is not a busy row. */
export async function touchToken(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`
    update tokens set last_used_at = ${instant(nowMs)}
    where id = ${id}`;
}

/** A token as the API shows it. */
export function toTokenView(row: TokenRow): TokenView {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    scopes: row.scopes,
    expires_at: row.expires_at === null ? null : toTimestamp(row.expires_at),
    last_used_at: row.last_used_at === null ? null : toTimestamp(row.last_used_at),
    revoked_at: row.revoked_at === null ? null : toTimestamp(row.revoked_at),
    created_at: toTimestamp(row.created_at),
    created_by: row.created_by,
    person_id: row.person_id,
  };
}

function toProject(row: ProjectRow): Project {
  const { sustained_per_second, burst_per_second, burst_seconds } = row;
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    event_retention_days: row.event_retention_days,
    ingest_limits: { sustained_per_second, burst_per_second, burst_seconds },
    allowed_origins: row.allowed_origins,
    grouping: { wait_seconds: row.group_wait_seconds, join_seconds: row.group_join_seconds },
    notices: {
      region_silent_after_seconds: row.region_silent_after_seconds,
      agent_silent_after_seconds: row.agent_silent_after_seconds,
    },
    link_sessions: row.link_sessions,
    created_at: toTimestamp(row.created_at),
  };
}
