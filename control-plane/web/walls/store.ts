import { newId } from '#shared/ids.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { WallPost, WallRow } from './wall.ts';

const columns = fragment`id, project_id, name, selector, last_seen_at, created_at`;

/** A page of the project's walls, newest first. */
export async function listWalls(sql: Sql, projectId: string, page: Page): Promise<WallRow[]> {
  return sql.rows<WallRow>`
    select ${columns}
    from walls
    where project_id = ${projectId}
      and ${olderThan(page, fragment`created_at, id`)}
    order by created_at desc, id desc
    limit ${page.limit + 1}`;
}

/** Null if the project has no such wall. */
export async function findWall(sql: Sql, projectId: string, id: string): Promise<WallRow | null> {
  return sql.row<WallRow>`
    select ${columns}
    from walls
    where project_id = ${projectId}
      and id = ${id}`;
}

export async function insertWall(
  sql: Sql,
  wall: WallPost & { projectId: string; secretHash: Uint8Array },
  nowMs: number,
): Promise<WallRow | null> {
  return sql.row<WallRow>`
    insert into walls (id, project_id, name, selector, secret_hash, created_at)
    values (
      ${newId('wal', nowMs)}, ${wall.projectId}, ${wall.name}, ${wall.selector}, ${wall.secretHash}, ${instant(nowMs)}
    )
    returning ${columns}`;
}

/** Returns what was deleted; null if the project has no such wall. */
export async function deleteWall(sql: Sql, projectId: string, id: string): Promise<WallRow | null> {
  return sql.row<WallRow>`
    delete from walls
    where project_id = ${projectId}
      and id = ${id}
    returning ${columns}`;
}

/** The wall of a link, of any project; null if there is none any more. */
export async function findWallBySecret(sql: Sql, secretHash: Uint8Array): Promise<WallRow | null> {
  return sql.row<WallRow>`
    select ${columns}
    from walls
    where secret_hash = ${secretHash}`;
}

export async function touchWall(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`
    update walls
    set last_seen_at = ${instant(nowMs)}
    where id = ${id}`;
}
