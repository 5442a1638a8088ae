import { bigints, texts } from '../../platform/db/binary-array.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { ErasureRow } from './erasure.ts';

const columns = fragment`id, user_hash, state, events, hours_recomputed, hours_kept, requested_at, done_at`;

/** Serialises the requests of a project until this transaction ends. */
export async function lockErasures(sql: Sql, projectId: string): Promise<void> {
  await sql.run`select pg_advisory_xact_lock(hashtextextended(${`erasures ${projectId}`}, 0))`;
}

/** The erasure of a user that is under way; null for none. */
export function findOpen(sql: Sql, projectId: string, externalId: string): Promise<ErasureRow | null> {
  return sql.row<ErasureRow>`
    select ${columns}
    from event_erasures
    where project_id = ${projectId}
      and state <> 'done'
      and external_user_id = ${externalId}`;
}

export async function countOpen(sql: Sql, projectId: string): Promise<number> {
  const row = await sql.row<{ count: number }>`
    select count(*) as count
    from event_erasures
    where project_id = ${projectId}
      and state <> 'done'`;
  return row?.count ?? 0;
}

export type NewErasure = {
  id: string;
  projectId: string;
  userHash: string;
  actor: number;
  externalId: string;
  /** The actors of sessions that belong to the user. */
  sessions: readonly number[];
};

export async function insertErasure(sql: Sql, erasure: NewErasure, nowMs: number): Promise<ErasureRow> {
  const { id, projectId, userHash, actor, externalId, sessions } = erasure;
  const row = await sql.row<ErasureRow>`
    insert into event_erasures (id, project_id, user_hash, actor, external_user_id, sessions, requested_at)
    values (
      ${id}, ${projectId}, ${userHash}, ${actor}, ${externalId}, ${bigints(sessions)}::bigint[], ${instant(nowMs)}
    )
    returning ${columns}`;
  if (row === null) throw new Error('the erasure was not stored');
  return row;
}

export function findErasure(sql: Sql, projectId: string, id: string): Promise<ErasureRow | null> {
  return sql.row<ErasureRow>`
    select ${columns}
    from event_erasures
    where project_id = ${projectId}
      and id = ${id}`;
}

/** The erasure with what it has done so far, locked against workers until this transaction ends. */
export function lockErasure(sql: Sql, id: string): Promise<ErasureRow | null> {
  return sql.row<ErasureRow>`
    select ${columns}
    from event_erasures
    where id = ${id}
    for update`;
}

/** The newest first: one more than the page. */
export function listErasures(sql: Sql, projectId: string, page: Page): Promise<ErasureRow[]> {
  return sql.rows<ErasureRow>`
    select ${columns}
    from event_erasures
    where project_id = ${projectId}
      and ${olderThan(page, fragment`requested_at, id`)}
    order by requested_at desc, id desc
    limit ${page.limit + 1}`;
}

export async function listProjectsWithErasures(sql: Sql): Promise<string[]> {
  const rows = await sql.rows<{ project_id: string }>`
    select distinct project_id
    from event_erasures
    where state <> 'done'`;
  return rows.map(row => row.project_id);
}

export async function countRunning(sql: Sql): Promise<number> {
  const row = await sql.row<{ count: number }>`select count(*) as count from event_erasures where state <> 'done'`;
  return row?.count ?? 0;
}

/** A name of events by type. */
export type TypedName = readonly [type: string, name: string];

/** More than a project can have of both types. */
const namesMax = 4000;

export type OpenErasure = {
  id: string;
  actor: number;
  external_user_id: string;
  names: TypedName[];
  requested_at: number;
};

/** The project's erasure that was requested first, locked; null if none is left to this caller. */
export function takeErasure(sql: Sql, projectId: string): Promise<OpenErasure | null> {
  return sql.row<OpenErasure>`
    select id, actor, external_user_id, names, requested_at
    from event_erasures
    where project_id = ${projectId}
      and state <> 'done'
    order by requested_at, id
    limit 1
    for update skip locked`;
}

export type Progress = { events: number; hoursRecomputed: number; hoursKept: number; names: readonly TypedName[] };

/** Adds what a step did. Names are noted once each, up to a limit that no project reaches. */
export async function addProgress(sql: Sql, id: string, progress: Progress): Promise<void> {
  await sql.run`
    update event_erasures
    set state = 'running',
      events = events + ${progress.events},
      hours_recomputed = hours_recomputed + ${progress.hoursRecomputed},
      hours_kept = hours_kept + ${progress.hoursKept},
      names = (
        select coalesce(jsonb_agg(name), '[]')
        from (
          select value as name from jsonb_array_elements(names)
          union
          select value from jsonb_array_elements(${JSON.stringify(progress.names)}::jsonb)
          limit ${namesMax}
        ) as all_names
      )
    where id = ${id}
      and state <> 'done'`;
}

/** Ends an erasure and forgets whose it was. Returns how many events it deleted. */
export async function finishErasure(sql: Sql, id: string, nowMs: number): Promise<number> {
  const row = await sql.row<{ events: number }>`
    update event_erasures
    set state = 'done', done_at = ${instant(nowMs)}, external_user_id = null, names = '[]'
    where id = ${id}
    returning events`;
  return row?.events ?? 0;
}

export async function deleteErasuresBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`delete from event_erasures where done_at < ${instant(beforeMs)}`;
}

/** When what each of these actors sent, users or their sessions, was last asked to be erased after `sinceMs`. */
export async function listErased(
  sql: Sql,
  senders: readonly { projectId: string; actor: number }[],
  sinceMs: number,
): Promise<{ project_id: string; actor: number; requested_at: number }[]> {
  return sql.rows<{ project_id: string; actor: number; requested_at: number }>`
    select project_id, erased.actor, max(requested_at) as requested_at
    from event_erasures
    cross join lateral unnest(sessions || event_erasures.actor) as erased (actor)
    where requested_at >= ${instant(sinceMs)}
      and (project_id, erased.actor) in (
        select project_id, actor
        from unnest(
          ${texts(senders.map(sender => sender.projectId))}::text[],
          ${bigints(senders.map(sender => sender.actor))}::bigint[]
        ) as s (project_id, actor)
      )
    group by project_id, erased.actor`;
}
