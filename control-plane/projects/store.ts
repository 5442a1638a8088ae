import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
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
  created_at: number;
};

export type TokenRow = {
  id: string;
  project_id: string;
  name: string;
  scopes: string[];
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  created_at: number;
};

const tokenColumns = 'id, project_id, name, scopes, expires_at, last_used_at, revoked_at, created_at';

export async function insertProject(sql: Sql, name: string, plan: Plan, nowMs: number): Promise<Project> {
  const row = await sql.row<ProjectRow>(
    'insert into projects (id, name, plan, event_retention_days, created_at) values ($1, $2, $3, $4, $5) returning *',
    [newId('proj', nowMs), name, plan, eventRetentionDays(plan), instant(nowMs)],
  );
  return toProject(row as ProjectRow);
}

export async function findProject(sql: Sql, id: string): Promise<Project | null> {
  const row = await sql.row<ProjectRow>('select * from projects where id = $1', [id]);
  return row === null ? null : toProject(row);
}

export async function updateProject(
  sql: Sql,
  id: string,
  change: { name?: string | undefined; allowed_origins?: string[] | undefined },
): Promise<Project | null> {
  const row = await sql.row<ProjectRow>(
    'update projects set name = coalesce($2, name), allowed_origins = coalesce($3::text[], allowed_origins) where id = $1 returning *',
    [id, change.name ?? null, change.allowed_origins ?? null],
  );
  return row === null ? null : toProject(row);
}

/** How fast events may come; replicas charge by it from the next request on. */
export async function updateLimits(sql: Sql, id: string, limits: Project['ingest_limits']): Promise<Project | null> {
  const row = await sql.row<ProjectRow>(
    'update projects set sustained_per_second = $2, burst_per_second = $3, burst_seconds = $4 where id = $1 returning *',
    [id, limits.sustained_per_second, limits.burst_per_second, limits.burst_seconds],
  );
  return row === null ? null : toProject(row);
}

export async function insertToken(
  sql: Sql,
  token: { projectId: string; name: string; scopes: readonly string[]; hash: Uint8Array; expiresAt: number | null },
  nowMs: number,
): Promise<TokenView> {
  const row = await sql.row<TokenRow>(
    `insert into tokens (id, project_id, name, hash, scopes, expires_at, created_at) values ($1, $2, $3, $4, $5, $6, $7) returning ${tokenColumns}`,
    [
      newId('tok', nowMs),
      token.projectId,
      token.name,
      token.hash,
      token.scopes,
      instant(token.expiresAt),
      instant(nowMs),
    ],
  );
  return toTokenView(row as TokenRow);
}

export async function findTokenByHash(sql: Sql, hash: Uint8Array): Promise<TokenRow | null> {
  return sql.row<TokenRow>(`select ${tokenColumns} from tokens where hash = $1`, [hash]);
}

/** Newest first. */
export async function listTokens(sql: Sql, projectId: string, page: Page): Promise<TokenRow[]> {
  return sql.rows<TokenRow>(
    `select ${tokenColumns} from tokens where project_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
     order by created_at desc, id desc limit $4`,
    [projectId, instant(page.after?.[0] ?? null), page.after?.[1] ?? null, page.limit + 1],
  );
}

/** False when there is no such token in the project; revoking again changes nothing. */
export async function revokeToken(sql: Sql, projectId: string, id: string, nowMs: number): Promise<boolean> {
  return (
    (await sql.run('update tokens set revoked_at = coalesce(revoked_at, $3) where project_id = $1 and id = $2', [
      projectId,
      id,
      instant(nowMs),
    ])) === 1
  );
}

/** Kept to a minute's precision, so that a busy token is not a busy row. */
export async function touchToken(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run('update tokens set last_used_at = $2 where id = $1', [id, instant(nowMs)]);
}

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
    created_at: toTimestamp(row.created_at),
  };
}
