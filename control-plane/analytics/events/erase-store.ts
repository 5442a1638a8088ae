import { dayMs } from '#shared/duration.ts';
import { texts } from '../../platform/db/binary-array.ts';
import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { belongsTo } from '../links/link-store.ts';

export type ErasedEvent = { id: string; type: string; name: string; timestamp: number; ingested_at: number };

/** Whose events are deleted: of those that arrived until then. The hash finds them, the name excludes others of it. */
export type ErasedUser = { projectId: string; actor: number; externalId: string; arrivedByMs: number };

/** Deletes the first `limit` events of a user, by time and id, with their dedup keys. */
export function deleteSomeOfUser(sql: Sql, user: ErasedUser, limit: number): Promise<ErasedEvent[]> {
  return deleteSome(sql, user, fragment`actor = ${user.actor} and external_user_id = ${user.externalId}`, limit);
}

/** The same for what sessions sent without a user that were the user's by an event that arrived until then. */
export function deleteSomeOfSessions(sql: Sql, user: ErasedUser, limit: number): Promise<ErasedEvent[]> {
  const own = fragment`session_links l where ${belongsTo(user)} and l.arrived_at <= ${instant(user.arrivedByMs)}`;
  const theirs = fragment`external_user_id is null
      and actor = any(array(select l.session_actor from ${own}))
      and session_id = any(array(select l.session_id from ${own}))`;
  return deleteSome(sql, user, theirs, limit);
}

async function deleteSome(sql: Sql, user: ErasedUser, whose: Fragment, limit: number): Promise<ErasedEvent[]> {
  const { projectId, arrivedByMs } = user;
  const theirs = fragment`${whose}
      and ingested_at <= ${instant(arrivedByMs)}::timestamptz`;
  const last = await sql.row<{ id: string; timestamp: number }>`
    select id, timestamp
    from events
    where project_id = ${projectId}
      and ${theirs}
    order by timestamp, id
    offset ${limit - 1}
    limit 1`;
  const deleted = await sql.rows<ErasedEvent>`
    delete from events
    where project_id = ${projectId}
      and ${theirs}
      and (
        ${last?.id ?? null}::text is null
        or (timestamp, id) <= (${instant(last?.timestamp ?? null)}::timestamptz, ${last?.id ?? null}::text)
      )
    returning id, type, name, timestamp, ingested_at`;
  await deleteKeysOf(sql, projectId, deleted, arrivedByMs);
  return deleted;
}

/** Keys live for a day: those of older events are gone, or will be. */
async function deleteKeysOf(sql: Sql, projectId: string, events: readonly ErasedEvent[], nowMs: number): Promise<void> {
  const ids = events.filter(event => event.ingested_at > nowMs - 2 * dayMs).map(event => event.id);
  if (ids.length === 0) return;
  await sql.run`
    delete from event_dedup_keys
    where project_id = ${projectId}
      and event_id = any(${texts(ids)}::text[])`;
}

/** Deletes a project's events that arrived in [fromMs, toMs). */
export async function deleteEventsOfProject(
  sql: Sql,
  projectId: string,
  fromMs: number,
  toMs: number,
): Promise<number> {
  return sql.run`
    delete from events
    where project_id = ${projectId}
      and ingested_at >= ${instant(fromMs)}
      and ingested_at < ${instant(toMs)}`;
}

/** Deletes the marker of a release, by when it arrived. */
export async function deleteReleaseEvent(
  sql: Sql,
  { projectId, id, ingestedAt }: { projectId: string; id: string; ingestedAt: number },
): Promise<void> {
  await sql.run`
    delete from events
    where project_id = ${projectId}
      and ingested_at = ${instant(ingestedAt)}
      and type = 'release'
      and id = ${id}`;
}

export async function deleteKeysOfProject(sql: Sql, projectId: string): Promise<void> {
  await sql.run`delete from event_dedup_keys where project_id = ${projectId}`;
}

export async function deletePendingOfProject(sql: Sql, projectId: string): Promise<void> {
  await sql.run`delete from events_pending where project_id = ${projectId}`;
}

/** Arrivals in [fromMs, toMs) that lie in the blocks [firstBlock, endBlock) of their tables. */
export type BlockRange = { fromMs: number; toMs: number; firstBlock: number; endBlock: number };

/** What arrived since `unrolledMs` is not rolled up yet and stays for at most `patienceMs` past its retention. */
export type RetentionRule = { nowMs: number; unrolledMs: number | null; patienceMs: number };

/**
 * Deletes events past the retention of their project. No index finds arrivals, so the work is split by blocks: each is
 * read once, and no statement takes long.
 */
export async function deleteExpiredEvents(
  sql: Sql,
  { fromMs, toMs, firstBlock, endBlock }: BlockRange,
  { nowMs, unrolledMs, patienceMs }: RetentionRule,
): Promise<number> {
  return sql.run`
    with retentions as (
      select id, ${instant(nowMs)}::timestamptz - event_retention_days * interval '1 day' as ends_at
      from projects
    ), expiries as (
      select
        id,
        least(
          ends_at,
          greatest(
            coalesce(${instant(unrolledMs)}::timestamptz, ends_at),
            ends_at - ${patienceMs} * interval '1 millisecond'
          )
        ) as before
      from retentions
    )
    delete from events e
    using expiries
    where expiries.id = e.project_id
      and e.ingested_at >= ${instant(fromMs)}
      and e.ingested_at < ${instant(toMs)}
      and e.ingested_at < expiries.before
      and e.ctid >= ${`(${firstBlock},0)`}::text::tid
      and e.ctid < ${`(${endBlock},0)`}::text::tid`;
}

/** Blocks of the largest partition. */
export async function countBlocks(sql: Sql): Promise<number> {
  const row = await sql.row<{ blocks: number }>`
    select coalesce(max(pg_relation_size(inhrelid)) / current_setting('block_size')::integer, 0) as blocks
    from pg_inherits
    where inhparent = 'events'::regclass`;
  return row?.blocks ?? 0;
}

/** The shortest and the longest retention of any project, in days; null without projects. */
export async function findRetentions(sql: Sql): Promise<{ shortest: number; longest: number } | null> {
  return sql.row<{ shortest: number; longest: number }>`
    select min(event_retention_days) as shortest, max(event_retention_days) as longest
    from projects
    having count(*) > 0`;
}

/** Deletes at most `limit` dedup keys older than `beforeMs`, and returns how many. */
export async function deleteOldKeys(sql: Sql, beforeMs: number, limit: number): Promise<number> {
  return sql.run`
    delete from event_dedup_keys
    where ctid = any(array(
      select ctid
      from event_dedup_keys
      where at < ${instant(beforeMs)}
      limit ${limit}
    ))`;
}
