import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { RoutePatch, RoutePost, RouteView } from './route.ts';

/** A row of `routes`. Instants in milliseconds since the epoch. */
export type RouteRow = Omit<RouteView, 'key' | 'managed_by' | 'continue' | 'created_at' | 'updated_at'> & {
  continues: boolean;
  created_at: number;
  updated_at: number;
};

const columns = fragment`
  id, project_id, name, enabled, position, match, continues, steps, remind_every_minutes, quiet_hours, created_at,
  updated_at`;

/** All routes of a project, in their order; there are at most a few hundred. */
export function listRoutes(sql: Sql, projectId: string): Promise<RouteRow[]> {
  return sql.rows<RouteRow>`
    select ${columns}
    from routes
    where project_id = ${projectId}
    order by position, id`;
}

/** Null when the project has no such route. */
export function findRoute(sql: Sql, projectId: string, id: string): Promise<RouteRow | null> {
  return sql.row<RouteRow>`
    select ${columns}
    from routes
    where project_id = ${projectId}
      and id = ${id}`;
}

/** Routes are changed one at a time in a project, so that their order has no gaps and no ties. */
export async function lockRoutes(sql: Sql, projectId: string): Promise<void> {
  await sql.run`select pg_advisory_xact_lock(hashtextextended(${`routes ${projectId}`}, 0))`;
}

/** Adds a route at the end. Null if the project has one of the name. */
export async function insertRoute(sql: Sql, projectId: string, post: RoutePost, nowMs: number): Promise<string | null> {
  const quiet = post.quiet_hours === null ? null : JSON.stringify(post.quiet_hours);
  const row = await sql.row<{ id: string }>`
    insert into routes (
      id, project_id, name, enabled, position, match, continues, steps, remind_every_minutes, quiet_hours, created_at,
      updated_at
    )
    select
      ${newId('rte', nowMs)}, ${projectId}, ${post.name}, ${post.enabled}, coalesce(max(position) + 1, 0),
      ${JSON.stringify(post.match)}::jsonb, ${post.continue}, ${JSON.stringify(post.steps)}::jsonb,
      ${post.remind_every_minutes}::integer, ${quiet}::jsonb, ${instant(nowMs)}, ${instant(nowMs)}
    from routes
    where project_id = ${projectId}
    on conflict (project_id, name) do nothing
    returning id`;
  return row?.id ?? null;
}

/** Changes the fields that the patch has. */
export async function updateRoute(sql: Sql, projectId: string, id: string, patch: RoutePatch, nowMs: number) {
  const quiet = patch.quiet_hours == null ? null : JSON.stringify(patch.quiet_hours);
  const match = patch.match === undefined ? null : JSON.stringify(patch.match);
  const steps = patch.steps === undefined ? null : JSON.stringify(patch.steps);
  const { remind_every_minutes: remind } = patch;
  await sql.run`
    update routes
    set name = coalesce(${patch.name ?? null}, name),
      enabled = coalesce(${patch.enabled ?? null}, enabled),
      match = coalesce(${match}::jsonb, match),
      continues = coalesce(${patch.continue ?? null}, continues),
      steps = coalesce(${steps}::jsonb, steps),
      remind_every_minutes = case when ${remind !== undefined} then ${remind ?? null} else remind_every_minutes end,
      quiet_hours = case when ${patch.quiet_hours !== undefined} then ${quiet}::jsonb else quiet_hours end,
      updated_at = ${instant(nowMs)}
    where project_id = ${projectId}
      and id = ${id}`;
}

/** Whether another route of the project has the name. */
export async function isNameTaken(sql: Sql, projectId: string, name: string, exceptId: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from routes
    where project_id = ${projectId}
      and name = ${name}
      and id <> ${exceptId}`;
  return row !== null;
}

/** Gives the routes the positions of the list. */
export async function orderRoutes(sql: Sql, projectId: string, ids: readonly string[], nowMs: number): Promise<void> {
  await sql.run`
    update routes r
    set position = given.position - 1, updated_at = ${instant(nowMs)}
    from unnest(${ids}::text[]) with ordinality as given (id, position)
    where r.project_id = ${projectId}
      and r.id = given.id
      and r.position <> given.position - 1`;
}

export async function deleteRoute(sql: Sql, projectId: string, id: string): Promise<boolean> {
  const count = await sql.run`
    delete from routes
    where project_id = ${projectId}
      and id = ${id}`;
  return count === 1;
}

/** Whether a step of a route names the channel. */
export async function isChannelRouted(sql: Sql, projectId: string, channelId: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from routes
    where project_id = ${projectId}
      and steps @> jsonb_build_array(jsonb_build_object('channel_ids', jsonb_build_array(${channelId}::text)))
    limit 1`;
  return row !== null;
}

/** Which of the ids are no channels of the project; the others stay until the transaction ends. */
export async function unknownChannels(sql: Sql, projectId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from channels
    where project_id = ${projectId}
      and id = any(${ids}::text[])
    for share`;
  const known = new Set(rows.map(row => row.id));
  return ids.filter(id => !known.has(id));
}

/** The route as the API shows it. */
export function viewRoute({ continues, created_at, updated_at, ...row }: RouteRow): RouteView {
  return {
    ...row,
    key: null,
    managed_by: null,
    continue: continues,
    created_at: toTimestamp(created_at),
    updated_at: toTimestamp(updated_at),
  };
}
