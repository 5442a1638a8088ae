import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';
import type { UpdatePost } from './incident.ts';
import type { LockedIncident } from './store.ts';

/**
 * Adds an update after all others of its incident, which must be locked: its time strictly increases within the
 * incident. Its date in feeds is the second in which it was posted, by our clock.
 */
export async function insertUpdate(
  sql: Sql,
  incident: Pick<LockedIncident, 'id' | 'project_id' | 'status_page_id'>,
  { state, body }: UpdatePost,
  nowMs: number,
  { postedAt, notify }: { postedAt: number; notify: boolean },
): Promise<{ id: string; postedAt: number }> {
  const row = await sql.row<{ id: string; posted_at: number }>`
    insert into incident_updates (id, incident_id, project_id, status_page_id, state, body, posted_at, feed_at, in_feed)
    select
      ${newId('upd', nowMs)}, ${incident.id}, ${incident.project_id}, ${incident.status_page_id}, ${state}, ${body},
      posted.at, date_trunc('second', greatest(posted.at, ${instant(nowMs)}::timestamptz)), ${notify}
    from (
      select greatest(${instant(postedAt)}::timestamptz, max(posted_at) + interval '1 millisecond') as at
      from incident_updates
      where incident_id = ${incident.id}
    ) posted
    returning id, posted_at`;
  if (row === null) throw new Error('the update was not stored');
  return { id: row.id, postedAt: row.posted_at };
}

/** Number and total length of an incident's updates. */
export async function measureUpdates(sql: Sql, incidentId: string): Promise<{ updates: number; characters: number }> {
  const row = await sql.row<{ updates: number; characters: number }>`
    select count(*) as updates, coalesce(sum(length(body)), 0)::bigint as characters
    from incident_updates
    where incident_id = ${incidentId}`;
  return row ?? { updates: 0, characters: 0 };
}

/** The update's text; null when the incident has no such update. */
export async function findBody(sql: Sql, incidentId: string, updateId: string): Promise<string | null> {
  const row = await sql.row<{ body: string }>`
    select body
    from incident_updates
    where id = ${updateId} and incident_id = ${incidentId}`;
  return row?.body ?? null;
}

/** Replaces an update's text and archives the previous one. False when the incident has no such update. */
export async function replaceBody(
  sql: Sql,
  incidentId: string,
  updateId: string,
  body: string,
  nowMs: number,
): Promise<boolean> {
  const count = await sql.run`
    with archived as (
      insert into incident_update_texts (update_id, project_id, replaced_at, body)
      select id, project_id, ${instant(nowMs)}::timestamptz, body
      from incident_updates
      where id = ${updateId}
        and incident_id = ${incidentId}
      returning update_id
    ), edited as (
      update incident_updates
      set body = ${body}, edited_at = ${instant(nowMs)}
      where id in (select update_id from archived)
    )
    update incidents
    set updated_at = ${instant(nowMs)}
    where id = ${incidentId}
      and exists (select from archived)`;
  return count === 1;
}

/** Characters of the texts that edits of the incident's updates have replaced. */
export async function countReplaced(sql: Sql, incidentId: string): Promise<number> {
  const row = await sql.row<{ characters: number }>`
    select coalesce(sum(length(t.body)), 0)::bigint as characters
    from incident_updates u
    join incident_update_texts t on t.update_id = u.id
    where u.incident_id = ${incidentId}`;
  return row?.characters ?? 0;
}
