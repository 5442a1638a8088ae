import { dayMs } from '#shared/duration.ts';
import { bigints } from '../../platform/db/binary-array.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';

/** Where a statement reads the events of a project, so that each is of the actor who counts for it. */
export type ActorSource = {
  /** Stands for the table `events`; of these actors alone if they are given. `spanMs`: of how long a time. */
  events(actors?: readonly number[] | null, spanMs?: number): Fragment;
  /** A table of the actors under which the events of this one are stored. */
  storedAs(actor: Fragment): Fragment;
};

const stored: ActorSource = {
  events: () => fragment`events`,
  storedAs: actor => fragment`(select ${actor} as actor)`,
};

/** Where the project links sessions, an event without a user is of the user whom its session names first. */
export async function actorsOf(sql: Sql, projectId: string): Promise<ActorSource> {
  return (await linksSessions(sql, projectId)) ? linked(projectId) : stored;
}

async function linksSessions(sql: Sql, projectId: string): Promise<boolean> {
  const row = await sql.row<{ link_sessions: boolean }>`select link_sessions from projects where id = ${projectId}`;
  return row?.link_sessions === true;
}

/** Reads all links of the project: for many events that is quicker than to look each up. */
const allUsers = (projectId: string) => fragment`left join (
          select distinct on (session_actor) session_actor, user_actor
          from session_links
          where project_id = ${projectId}::text
          order by session_actor, at, event_id
        ) l on l.session_actor = e.actor`;

const oneUser = (projectId: string) => fragment`left join lateral (
          select user_actor
          from session_links
          where project_id = ${projectId}::text
            and session_actor = e.actor
          order by at, event_id
          limit 1
        ) l on true`;

function linked(projectId: string): ActorSource {
  const sessionsOf = (users: Fragment) => fragment`select session_actor
        from session_links
        where project_id = ${projectId}::text
          and user_actor ${users}`;
  const among = (actors: readonly number[]) => fragment`and e.actor = any(array(
          select a.actor
          from unnest(${bigints(actors)}::bigint[]) as a (actor)
          union
          ${sessionsOf(fragment`= any(${bigints(actors)}::bigint[])`)}
        ))`;
  return {
    events: (actors = null, spanMs = 0) => fragment`(
        select e.project_id, e.type, e.name, e.props, e.timestamp, e.ingested_at,
          coalesce(l.user_actor, e.actor) as actor
        from events e
        ${actors === null && spanMs >= dayMs ? allUsers(projectId) : oneUser(projectId)}
        where e.project_id = ${projectId}::text
          ${actors === null ? fragment`` : among(actors)}
      ) as events`,
    storedAs: actor => fragment`(select ${actor} as actor union ${sessionsOf(fragment`= ${actor}`)})`,
  };
}

/** The users of those of these sessions that have one. */
export async function findUsers(
  sql: Sql,
  projectId: string,
  sessions: readonly number[],
): Promise<Map<number, number>> {
  const rows = await sql.rows<{ session_actor: number; user_actor: number }>`
    select distinct on (session_actor) session_actor, user_actor
    from session_links
    where project_id = ${projectId}
      and session_actor = any(${bigints(sessions)}::bigint[])
    order by session_actor, at, event_id`;
  return new Map(rows.map(row => [row.session_actor, row.user_actor]));
}
