import { newId } from '#shared/ids.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { inPortions } from '../../platform/db/series/portions.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { Candidate, Cause } from './keys.ts';

/** A row of `alert_groups` with the ids of its alerts. Instants in milliseconds since the epoch. */
export type GroupRow = {
  id: string;
  project_id: string;
  cause: Cause | null;
  opened_at: number;
  told_at: number | null;
  state: 'open' | 'acknowledged' | 'resolved' | 'cancelled';
  ended_at: number | null;
  alert_ids: string[];
};

const columns = fragment`
  g.id, g.project_id, g.cause, g.opened_at, g.told_at, g.state, g.ended_at,
  array(
    select m.alert_id
    from alert_group_members m
    where m.group_id = g.id
    order by m.joined_number
  ) as alert_ids`;

/** Null when the project has no such group. */
export function findGroup(sql: Sql, projectId: string, id: string): Promise<GroupRow | null> {
  return sql.row<GroupRow>`
    select ${columns}
    from alert_groups g
    where g.project_id = ${projectId}
      and g.id = ${id}`;
}

/** Newest first. Reads one row more than the page shows. */
export function listGroups(
  sql: Sql,
  projectId: string,
  states: readonly string[] | null,
  page: Page,
): Promise<GroupRow[]> {
  return sql.rows<GroupRow>`
    select ${columns}
    from alert_groups g
    where g.project_id = ${projectId}
      and (${states}::text[] is null or g.state = any(${states}))
      and ${olderThan(page, fragment`g.opened_at, g.id`)}
    order by g.opened_at desc, g.id desc
    limit ${page.limit + 1}`;
}

/** Grouping settings of a project. */
export type Grouping = { wait_seconds: number; join_seconds: number };

export async function findGrouping(sql: Sql, projectId: string): Promise<Grouping> {
  const row = await sql.row<Grouping>`
    select group_wait_seconds as wait_seconds, group_join_seconds as join_seconds
    from projects
    where id = ${projectId}`;
  return row ?? { wait_seconds: 5, join_seconds: 300 };
}

/** Groups with an unresolved alert, the last of which joined since the instant, that share a key; oldest first. */
export function listCandidates(
  sql: Sql,
  projectId: string,
  keys: readonly string[],
  sinceMs: number,
): Promise<Candidate[]> {
  return sql.rows<Candidate>`
    select id, keys
    from alert_groups
    where project_id = ${projectId}
      and ended_at is null
      and joined_at >= ${instant(sinceMs)}
      and keys && ${keys}::text[]
    order by opened_at, id
    limit 100`;
}

/** The group of an alert, if it has one. */
export async function findGroupOf(sql: Sql, projectId: string, alertId: string): Promise<string | null> {
  const row = await sql.row<{ group_id: string }>`
    select group_id
    from alert_group_members
    where project_id = ${projectId}
      and alert_id = ${alertId}`;
  return row?.group_id ?? null;
}

/** The group of the alert that this one superseded, while it lasts. */
export async function findSuperseded(sql: Sql, projectId: string, alertId: string): Promise<string | null> {
  const row = await sql.row<{ group_id: string }>`
    select m.group_id
    from alerts down
    join alerts a on a.monitor_id = down.monitor_id and a.superseded_by = down.id
    join alert_group_members m on m.alert_id = a.id
    where down.project_id = ${projectId}
      and down.id = ${alertId}
    order by a.id desc
    limit 1`;
  return row?.group_id ?? null;
}

export async function insertGroup(sql: Sql, projectId: string, keys: readonly string[], atMs: number, nowMs: number) {
  const id = newId('agp', nowMs);
  const at = instant(atMs);
  await sql.run`
    insert into alert_groups (
      id, project_id, keys, opened_at, joined_at, state, progress, number, due_at, created_at
    )
    values (
      ${id}, ${projectId}, ${keys}, ${at}, ${at}, 'open', '{"sequence":0,"channels":{},"routes":{}}', 0, 'infinity',
      ${instant(nowMs)}
    )`;
  return id;
}

/** Notes that an alert joins; with a key, that is what all further ones must share. */
export async function noteJoin(sql: Sql, id: string, join: { key: string; cause: Cause } | null, atMs: number) {
  const cause = join === null ? null : JSON.stringify(join.cause);
  await sql.run`
    update alert_groups
    set joined_at = greatest(joined_at, ${instant(atMs)}::timestamptz),
      cause = coalesce(cause, ${cause}::jsonb),
      keys = case when cause is null and ${join !== null} then array[${join?.key ?? ''}]::text[] else keys end,
      ended_at = null
    where id = ${id}`;
}

/** Counts an event of a group and makes it due. Returns its number. */
export async function countEvent(sql: Sql, id: string, nowMs: number): Promise<number> {
  const row = await sql.row<{ number: number }>`
    update alert_groups
    set number = number + 1, due_at = least(due_at, ${instant(nowMs)}::timestamptz)
    where id = ${id}
    returning number`;
  return row?.number ?? 0;
}

/** What the group sends next was pending when a backup was taken. */
export async function markRestored(sql: Sql, id: string): Promise<void> {
  await sql.run`update alert_groups set progress = progress || '{"restored": true}' where id = ${id}`;
}

/** Lets a group wait that could not be run. */
export async function postponeGroup(sql: Sql, id: string, untilMs: number): Promise<void> {
  await sql.run`update alert_groups set due_at = ${instant(untilMs)} where id = ${id}`;
}

/** Makes a group due: a delivery of it failed, say. */
export async function wakeGroup(sql: Sql, projectId: string, id: string, nowMs: number): Promise<void> {
  await sql.run`
    update alert_groups
    set due_at = least(due_at, ${instant(nowMs)}::timestamptz)
    where project_id = ${projectId}
      and id = ${id}
      and ended_at is null`;
}

/** Deletes groups that ended before the instant, with their alerts' places in them. */
export async function deleteGroupsEndedBefore(sql: Sql, beforeMs: number): Promise<void> {
  await inPortions(
    limit => sql.run`
      with old as materialized (
        select id
        from alert_groups
        where ended_at < ${instant(beforeMs)}
        limit ${limit}
      ), members as (
        delete from alert_group_members
        where group_id in (select id from old)
      )
      delete from alert_groups
      where id in (select id from old)`,
  );
}
