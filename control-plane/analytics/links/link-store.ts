import { bigints, instants, texts } from '../../platform/db/binary-array.ts';
import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { afterCommit } from '../../platform/db/transaction.ts';
import { claimLinks, endEpoch, keepLinks } from './epoch-store.ts';
import { type Link, type LinkingEvent, linksOf } from './link.ts';
import type { LinkMemory } from './link-memory.ts';

/** Whoever names a user earlier keeps the place of a session and a user. */
export const leastWins = fragment`on conflict (project_id, session_actor, user_actor) do update
      set at = excluded.at, event_id = excluded.event_id, arrived_at = excluded.arrived_at,
        is_counted = excluded.is_counted
      where (excluded.at, excluded.event_id) < (known.at, known.event_id)`;

export const linkColumns = fragment`project_id, session_actor, user_actor, session_id, external_user_id, at, event_id,
      arrived_at, is_counted`;

/** Projects whose links one transaction keeps: PostgreSQL has room for some thousand locks in all. */
const keptMax = 32;

/**
 * Notes whose the sessions of stored events are: part of the transaction that stores them. What is known to be stored
 * is not stored again, which would lock it.
 */
export async function insertLinks(
  sql: Sql,
  events: readonly LinkingEvent[],
  nowMs: number,
  memory: LinkMemory | null,
): Promise<void> {
  const links = linksOf(events);
  if (links.length === 0) return;
  if (memory === null) return insert(sql, links, nowMs);
  const projects = new Set(links.map(link => link.projectId));
  const epochs = await keepLinks(sql, [...projects].slice(0, keptMax));
  const isKnown = (link: Link) => {
    const epoch = epochs.get(link.projectId);
    return epoch !== undefined && memory.knows(epoch, link);
  };
  const unknown = links.filter(link => !isKnown(link));
  if (unknown.length === 0) return;
  await insert(sql, unknown, nowMs);
  afterCommit(sql, () => {
    for (const link of unknown) {
      const epoch = epochs.get(link.projectId);
      if (epoch !== undefined) memory.remember(epoch, link);
    }
  });
}

async function insert(sql: Sql, links: readonly Link[], nowMs: number): Promise<void> {
  await sql.run`
    insert into session_links as known (${linkColumns})
    select project_id, session_actor, user_actor, session_id, user_id, at, event_id, ${instant(nowMs)}::timestamptz,
      false
    from unnest(
      ${texts(links.map(link => link.projectId))}::text[],
      ${bigints(links.map(link => link.sessionActor))}::bigint[],
      ${bigints(links.map(link => link.actor))}::bigint[],
      ${texts(links.map(link => link.sessionId))}::text[],
      ${texts(links.map(link => link.externalUserId))}::text[],
      ${instants(links.map(link => link.timestamp))}::timestamptz[],
      ${texts(links.map(link => link.id))}::text[]
    ) as l (project_id, session_actor, user_actor, session_id, user_id, at, event_id)
    order by project_id, session_actor, user_actor
    ${leastWins}`;
}

/** Whose sessions: by hash and name, as for events. */
export type SessionOwner = { projectId: string; actor: number; externalId: string };

/** The rows of `session_links l` of sessions that belong to a user. */
export function belongsTo({ projectId, actor, externalId }: SessionOwner): Fragment {
  return fragment`l.project_id = ${projectId}
        and l.user_actor = ${actor}
        and l.external_user_id = ${externalId}
        and not exists (
          select
          from session_links o
          where o.project_id = l.project_id
            and o.session_actor = l.session_actor
            and (o.at, o.event_id) < (l.at, l.event_id)
        )
        and exists (select from projects p where p.id = l.project_id and p.link_sessions)`;
}

/** A session: the actor of what it sent without a user, and its name. */
export type Session = { actor: number; sessionId: string };

/** Sessions that belong to a user, the newest first. */
export async function listSessionsOf(sql: Sql, owner: SessionOwner, limit: number): Promise<Session[]> {
  return sql.rows<Session>`
    select session_actor as actor, session_id as "sessionId"
    from session_links l
    where ${belongsTo(owner)}
    order by at desc, event_id desc
    limit ${limit}`;
}

/** Deletes all that says whose sessions of a project are. */
export async function deleteLinksOfProject(sql: Sql, projectId: string): Promise<void> {
  await claimLinks(sql, projectId);
  await endEpoch(sql, projectId);
  await sql.run`delete from session_links where project_id = ${projectId}`;
}
