import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { leastWins, linkColumns } from './link-store.ts';

/** The number under which funnels count a session, in SQL: as `actorOf` makes it. */
const sessionActor = fragment`((
        ('x' || encode(substr(sha256(convert_to('s ' || session_id, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint >> 11
      ) & 9007199254740991)`;

/** What is left to read of a project's events since its setting was switched; `dueAt` is null if nothing is. */
export type Pass = { isOn: boolean; switchedAt: number; unreadBefore: number; dueAt: number | null };

type PassRow = {
  link_sessions: boolean;
  links_switched_at: number | null;
  switched_at: number | null;
  unread_before: number | null;
  due_at: number | null;
};

/** Projects whose setting was switched, or with links that the counts do not know of. */
export async function listProjectsToLink(sql: Sql, nowMs: number): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from projects p
    left join session_link_passes s on s.project_id = p.id
    where p.links_switched_at is not null
      and (
        s.project_id is null
        or s.switched_at <> p.links_switched_at
        or s.due_at <= ${instant(nowMs)}
        or exists (select from session_links l where l.project_id = p.id and not l.is_counted)
      )`;
  return rows.map(row => row.id);
}

/** Allows one caller per project across replicas, until this transaction ends. False if another one is at it. */
export async function lockLinks(sql: Sql, projectId: string): Promise<boolean> {
  const row = await sql.row<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`session links ${projectId}`}, 0)) as locked`;
  return row?.locked === true;
}

/** Null if the setting was never switched. One that was switched since begins at its time and `delayMs`. */
export async function findPass(sql: Sql, projectId: string, delayMs: number): Promise<Pass | null> {
  const row = await sql.row<PassRow>`
    select link_sessions, links_switched_at, switched_at, unread_before, due_at
    from projects p
    left join session_link_passes s on s.project_id = p.id
    where p.id = ${projectId}`;
  const switchedAt = row?.links_switched_at ?? null;
  if (row === null || switchedAt === null) return null;
  if (row.switched_at !== switchedAt || row.unread_before === null) {
    const dueAt = switchedAt + delayMs;
    return { isOn: row.link_sessions, switchedAt, unreadBefore: dueAt, dueAt };
  }
  return { isOn: row.link_sessions, switchedAt, unreadBefore: row.unread_before, dueAt: row.due_at };
}

export async function savePass(sql: Sql, projectId: string, pass: Pass): Promise<void> {
  await sql.run`
    insert into session_link_passes (project_id, switched_at, unread_before, due_at)
    values (
      ${projectId}, ${instant(pass.switchedAt)}, ${instant(pass.unreadBefore)}, ${instant(pass.dueAt)}
    )
    on conflict (project_id) do update
      set switched_at = excluded.switched_at, unread_before = excluded.unread_before, due_at = excluded.due_at`;
}

/** Reads stored events that arrived in [fromMs, toMs) for links. What counts on them is marked when all are read. */
export async function linkStored(sql: Sql, projectId: string, fromMs: number, toMs: number): Promise<void> {
  await sql.run`
    insert into session_links as known (${linkColumns})
    select distinct on (session_actor, actor)
      project_id, session_actor, actor, session_id, external_user_id, timestamp, id, ingested_at, true
    from (
      select project_id, ${sessionActor} as session_actor, actor, session_id, external_user_id, timestamp, id,
        ingested_at
      from events
      where project_id = ${projectId}
        and external_user_id is not null
        and session_id is not null
        and type <> 'release'
        and ingested_at >= ${instant(fromMs)}
        and ingested_at < ${instant(toMs)}
    ) as e
    order by session_actor, actor, timestamp, id
    ${leastWins}`;
}

/** Deletes at most `limit` links of a project. Returns how many. */
export async function deleteSomeLinks(sql: Sql, projectId: string, limit: number): Promise<number> {
  return sql.run`
    delete from session_links
    where (project_id, session_actor, user_actor) in (
      select project_id, session_actor, user_actor
      from session_links
      where project_id = ${projectId}
      limit ${limit}
    )`;
}

/** Projects that link sessions. */
export async function listLinkingProjects(sql: Sql): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`select id from projects where link_sessions`;
  return rows.map(row => row.id);
}
