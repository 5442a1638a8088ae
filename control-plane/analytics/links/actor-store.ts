import { dayMs } from '#shared/duration.ts';
import { bigints } from '../../platform/db/binary-array.ts';
import { type Fragment, fragment, type Sql } from '../../platform/db/sql.ts';

/** Where a statement reads the events of a project, so that each is of the actor who counts for it. */
export type ActorSource = {
  /** Stands for the table `events`. `spanMs`: of how long a time it is read. */
  events(spanMs?: number): Fragment;
  /** A table of the actors under which the events of this one are stored. */
  storedAs(actor: Fragment): Fragment;
};

const stored: ActorSource = {
  events: () => fragment`events`,
  storedAs: actor => fragment`(select ${actor} as actor)`,
};

/**
 * Where the project links sessions, an event without a user is of the user whom its session names first. Of these
 * actors and their sessions alone if they are given.
 */
export async function actorsOf(
  sql: Sql,
  projectId: string,
  actors: readonly number[] | null = null,
): Promise<ActorSource> {
  if (!(await linksSessions(sql, projectId))) return stored;
  // As values: PostgreSQL hashes a list that it knows when it plans, and looks through any other for each event.
  return linked(projectId, actors === null ? null : [...actors, ...(await listSessions(sql, projectId, actors))]);
}

async function listSessions(sql: Sql, projectId: string, users: readonly number[]): Promise<number[]> {
  const rows = await sql.rows<{ session_actor: number }>`
    select distinct session_actor
    from session_links
    where project_id = ${projectId}
      and user_actor = any(${bigints(users)}::bigint[])`;
  return rows.map(row => row.session_actor);
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
        ) l on l.session_actor = e.actor and e.external_user_id is null`;

/** What names a user is of that user: nothing is looked up for it. */
const oneUser = (projectId: string) => fragment`left join lateral (
          select user_actor
          from session_links
          where project_id = ${projectId}::text
            and session_actor = e.actor
            and e.external_user_id is null
          order by at, event_id
          limit 1
        ) l on true`;

function linked(projectId: string, actors: readonly number[] | null): ActorSource {
  const among = actors === null ? fragment`` : fragment`and e.actor = any(${bigints(actors)}::bigint[])`;
  return {
    events: (spanMs = 0) => fragment`(
        select e.project_id, e.type, e.name, e.props, e.timestamp, e.ingested_at,
          coalesce(l.user_actor, e.actor) as actor
        from events e
        ${actors === null && spanMs >= dayMs ? allUsers(projectId) : oneUser(projectId)}
        where e.project_id = ${projectId}::text
          ${among}
      ) as events`,
    storedAs: actor => fragment`(
        select ${actor} as actor
        union
        select session_actor
        from session_links
        where project_id = ${projectId}::text
          and user_actor = ${actor}
      )`,
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
