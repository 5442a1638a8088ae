import { bigints } from '../../platform/db/binary-array.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';

/** Users that a session may have belonged to before: the first of those that it names. */
const usersMax = 1000;

/** Takes at most `limit` links that the counts do not know of. Returns how many, and the sessions that they decide. */
export async function takeChanges(
  sql: Sql,
  projectId: string,
  limit: number,
): Promise<{ taken: number; sessions: number[] }> {
  const rows = await sql.rows<{ session_actor: number; decides: boolean }>`
    with taken as (
      update session_links
      set is_counted = true
      where ctid = any(array(
        select ctid
        from session_links
        where project_id = ${projectId}
          and not is_counted
        limit ${limit}
        for update skip locked
      ))
      returning session_actor, at, event_id
    )
    select
      session_actor,
      not exists (
        select
        from session_links o
        where o.project_id = ${projectId}
          and o.session_actor = t.session_actor
          and (o.at, o.event_id) < (t.at, t.event_id)
      ) as decides
    from taken t`;
  const sessions = new Set(rows.filter(row => row.decides).map(row => row.session_actor));
  return { taken: rows.length, sessions: [...sessions] };
}

/** The hours and arrival days, since `keptFromMs`, of what these sessions sent without a user. */
export async function listHoursOf(
  sql: Sql,
  projectId: string,
  sessions: readonly number[],
  keptFromMs: number,
): Promise<{ hour: number; arrivedOn: string }[]> {
  // Not prepared: PostgreSQL hashes a list that it knows when it plans, and looks through any other for each event.
  return sql.once<{ hour: number; arrivedOn: string }>`
    select distinct
      date_bin('1 hour', timestamp, '2000-01-01Z') as hour,
      (ingested_at at time zone 'UTC')::date::text as "arrivedOn"
    from events
    where project_id = ${projectId}
      and actor = any(${bigints(sessions)}::bigint[])
      and type in ('track', 'error')
      and ingested_at >= ${instant(keptFromMs)}`;
}

/**
 * The hours in which anybody entered a funnel for whom it counts whose these sessions are: the users that they name,
 * those given, and the sessions themselves. From the window before what the sessions sent without a user to its end.
 */
export async function listEntryHoursOf(
  sql: Sql,
  { projectId, sessions, users }: { projectId: string; sessions: readonly number[]; users: readonly number[] },
  { event, windowSeconds }: { event: string; windowSeconds: number },
  keptFromMs: number,
): Promise<number[]> {
  const named = fragment`(
          select user_actor as actor
          from session_links
          where project_id = ${projectId}
            and session_actor = sent.session_actor
          order by at, event_id
          limit ${usersMax}
        )
        union
        select u.actor from unnest(${bigints(users)}::bigint[]) as u (actor)`;
  const rows = await sql.once<{ hour: number }>`
    with sent as materialized (
      select actor as session_actor, min(timestamp) as first_at, max(timestamp) as last_at
      from events
      where project_id = ${projectId}
        and actor = any(${bigints(sessions)}::bigint[])
        and type = 'track'
        and ingested_at >= ${instant(keptFromMs)}
      group by actor
    ), concerned as materialized (
      select distinct sent.session_actor, sent.first_at, sent.last_at, own.actor
      from sent
      cross join lateral (${named}) as named
      cross join lateral (
        select named.actor
        union
        select sent.session_actor
        union
        select session_actor
        from session_links
        where project_id = ${projectId}
          and user_actor = named.actor
      ) as own (actor)
    )
    select distinct date_bin('1 hour', e.timestamp, '2000-01-01Z') as hour
    from concerned c
    join events e on e.project_id = ${projectId} and e.actor = c.actor
    where e.type = 'track'
      and e.name = ${event}
      and e.timestamp >= c.first_at - ${`${windowSeconds} seconds`}::interval
      and e.timestamp <= c.last_at
      and e.ingested_at >= ${instant(keptFromMs)}`;
  return rows.map(row => row.hour);
}
