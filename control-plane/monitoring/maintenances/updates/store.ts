import { newId } from '#shared/ids.ts';
import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import type { Automatic } from '../automatic.ts';
import type { UpdateState } from '../maintenance.ts';
import type { Occurrence } from '../occurrences/store.ts';

/** An update out of JSON. */
export type UpdateJson = {
  id: string;
  occurrence_id: string;
  state: UpdateState;
  body: string;
  posted_at: number;
  edited_at: number | null;
};

const ms = (column: ReturnType<typeof fragment>) => fragment`(extract(epoch from ${column}) * 1000)::bigint`;

/** The latest hundred of the maintenance `m`, in order of posting, as JSON. */
export const latestUpdates = fragment`
  coalesce((
    select json_agg(json_build_object('id', u.id, 'occurrence_id', u.occurrence_id, 'state', u.state, 'body', u.body,
        'posted_at', ${ms(fragment`u.posted_at`)}, 'edited_at', ${ms(fragment`u.edited_at`)})
      order by u.posted_at, u.id)
    from (
      select id, occurrence_id, state, body, posted_at, edited_at
      from maintenance_updates
      where maintenance_id = m.id
      order by posted_at desc, id desc
      limit 100
    ) u
  ), '[]')`;

export type NewUpdate = { state: UpdateState; body: string; automatic: Automatic | null };

/** Adds an update after all others of its occurrence, which must be locked; returns its id. */
export async function insertUpdate(
  sql: Sql,
  occurrence: Pick<Occurrence, 'id' | 'maintenance_id' | 'project_id'>,
  { state, body, automatic }: NewUpdate,
  nowMs: number,
): Promise<string> {
  const id = newId('upd', nowMs);
  await sql.run`
    insert into maintenance_updates (
      id, occurrence_id, maintenance_id, project_id, state, automatic, body, posted_at, feed_at
    )
    select
      ${id}, ${occurrence.id}, ${occurrence.maintenance_id}, ${occurrence.project_id}, ${state}, ${automatic}, ${body},
      posted.at, date_trunc('second', posted.at)
    from (
      select greatest(${instant(nowMs)}::timestamptz, max(posted_at) + interval '1 millisecond') as at
      from maintenance_updates
      where occurrence_id = ${occurrence.id}
    ) posted`;
  return id;
}

/** Number and total length of an occurrence's updates. */
export async function measureUpdates(sql: Sql, occurrenceId: string): Promise<{ updates: number; characters: number }> {
  const row = await sql.row<{ updates: number; characters: number }>`
    select count(*) as updates, coalesce(sum(length(body)), 0)::bigint as characters
    from maintenance_updates
    where occurrence_id = ${occurrenceId}`;
  return row ?? { updates: 0, characters: 0 };
}

/** An update's text; null when the maintenance has no such update. */
export async function findBody(sql: Sql, maintenanceId: string, updateId: string): Promise<string | null> {
  const row = await sql.row<{ body: string }>`
    select body
    from maintenance_updates
    where id = ${updateId} and maintenance_id = ${maintenanceId}`;
  return row?.body ?? null;
}

/** Replaces a text; it is the customer's own from then on. */
export async function replaceBody(sql: Sql, updateId: string, body: string, nowMs: number): Promise<void> {
  await sql.run`
    update maintenance_updates
    set body = ${body}, automatic = null, edited_at = ${instant(nowMs)}
    where id = ${updateId}`;
}
