import { bigints } from '../../platform/db/binary-array.ts';
import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';

/** A session and a user that it names. */
export type LinkKey = { session: number; user: number };

/** Locks at most `limit` links by an event of a user that arrived until then. */
export function lockLinksOfUser(
  sql: Sql,
  {
    projectId,
    actor,
    externalId,
    arrivedByMs,
  }: { projectId: string; actor: number; externalId: string; arrivedByMs: number },
  limit: number,
): Promise<LinkKey[]> {
  return lock(
    sql,
    fragment`project_id = ${projectId}
        and user_actor = ${actor}
        and external_user_id = ${externalId}
        and arrived_at <= ${instant(arrivedByMs)}`,
    limit,
  );
}

/** Locks at most `limit` links by an event that arrived before then. */
export function lockLinksBefore(sql: Sql, projectId: string, beforeMs: number, limit: number): Promise<LinkKey[]> {
  return lock(sql, fragment`project_id = ${projectId} and arrived_at < ${instant(beforeMs)}`, limit);
}

function lock(sql: Sql, condition: Fragment, limit: number): Promise<LinkKey[]> {
  return sql.rows<LinkKey>`
    select session_actor as session, user_actor as user
    from session_links
    where ${condition}
    order by session_actor, user_actor
    limit ${limit}
    for update`;
}

/** Moves locked links to the earliest event that is left of those that arrived since `keptFromMs`, or deletes them. */
export async function relink(
  sql: Sql,
  projectId: string,
  links: readonly LinkKey[],
  keptFromMs: number,
): Promise<void> {
  await sql.run`
    with chosen as materialized (
      select l.session_actor, l.user_actor, l.session_id, l.external_user_id
      from unnest(
        ${bigints(links.map(link => link.session))}::bigint[],
        ${bigints(links.map(link => link.user))}::bigint[]
      ) as c (session_actor, user_actor)
      join session_links l using (session_actor, user_actor)
      where l.project_id = ${projectId}
    ), users as materialized (
      select distinct user_actor from chosen
    ), left_over as materialized (
      select distinct on (c.session_actor, c.user_actor) c.session_actor, c.user_actor, e.timestamp, e.id, e.ingested_at
      from users u
      join events e on e.project_id = ${projectId} and e.actor = u.user_actor
      join chosen c
        on c.user_actor = u.user_actor and c.session_id = e.session_id and c.external_user_id = e.external_user_id
      where e.ingested_at >= ${instant(keptFromMs)}
      order by c.session_actor, c.user_actor, e.timestamp, e.id
    ), moved as (
      update session_links l
      set at = o.timestamp, event_id = o.id, arrived_at = o.ingested_at
      from left_over o
      where l.project_id = ${projectId}
        and l.session_actor = o.session_actor
        and l.user_actor = o.user_actor
    )
    delete from session_links l
    using chosen c
    where l.project_id = ${projectId}
      and l.session_actor = c.session_actor
      and l.user_actor = c.user_actor
      and (c.session_actor, c.user_actor) not in (select session_actor, user_actor from left_over)`;
}
