import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { UpdatePost } from './incident.ts';
import type { LockedIncident } from './store.ts';

/**
 * Adds an update after all others: its time strictly increases within the incident, and in whole seconds within the page.
 * Updates of one page take turns, so that two at once do not want the same second.
 */
export async function insertUpdate(
  sql: Sql,
  incident: Pick<LockedIncident, 'id' | 'project_id' | 'status_page_id'>,
  { state, body }: UpdatePost,
  nowMs: number,
): Promise<{ id: string; postedAt: number }> {
  await sql.run('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`feed ${incident.status_page_id}`]);
  const row = await sql.row<{ id: string; posted_at: number }>(
    `insert into incident_updates (id, incident_id, project_id, status_page_id, state, body, posted_at, feed_at)
     select $1, $2, $3, $4, $5, $6,
       greatest($7::timestamptz, (select max(posted_at) + interval '1 millisecond' from incident_updates where incident_id = $2)),
       greatest(date_trunc('second', $7::timestamptz), (select max(feed_at) + interval '1 second' from incident_updates where status_page_id = $4))
     returning id, posted_at`,
    [newId('upd', nowMs), incident.id, incident.project_id, incident.status_page_id, state, body, instant(nowMs)],
  );
  if (row === null) throw new Error('the update was not stored');
  return { id: row.id, postedAt: row.posted_at };
}

/** How much an incident holds already. */
export async function measureUpdates(sql: Sql, incidentId: string): Promise<{ updates: number; characters: number }> {
  const row = await sql.row<{ updates: number; characters: number }>(
    'select count(*) as updates, coalesce(sum(length(body)), 0)::bigint as characters from incident_updates where incident_id = $1',
    [incidentId],
  );
  return row ?? { updates: 0, characters: 0 };
}

/** Replaces the text and keeps the old one. False when the incident has no such update. */
export async function replaceBody(
  sql: Sql,
  incidentId: string,
  updateId: string,
  body: string,
  nowMs: number,
): Promise<boolean> {
  const kept = await sql.run(
    `insert into incident_update_texts (update_id, project_id, replaced_at, body)
     select id, project_id, $3, body from incident_updates where id = $1 and incident_id = $2`,
    [updateId, incidentId, instant(nowMs)],
  );
  if (kept === 0) return false;
  await sql.run('update incident_updates set body = $2, edited_at = $3 where id = $1', [
    updateId,
    body,
    instant(nowMs),
  ]);
  await sql.run('update incidents set updated_at = $2 where id = $1', [incidentId, instant(nowMs)]);
  return true;
}
