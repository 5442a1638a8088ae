import { instant, type Sql } from '../db/sql.ts';

/** Events of one user; the hash finds them, the name makes sure. */
export async function deleteEventsOfUser(
  sql: Sql,
  projectId: string,
  actor: number,
  externalId: string,
): Promise<number> {
  return sql.run('delete from events where project_id = $1 and actor = $2 and external_user_id = $3', [
    projectId,
    actor,
    externalId,
  ]);
}

/** Events of a project that arrived in [fromMs, toMs). */
export async function deleteEventsOfProject(
  sql: Sql,
  projectId: string,
  fromMs: number,
  toMs: number,
): Promise<number> {
  return sql.run('delete from events where project_id = $1 and ingested_at >= $2 and ingested_at < $3', [
    projectId,
    instant(fromMs),
    instant(toMs),
  ]);
}

/** What stands beside the events of a project: keys that were seen, and minutes to be rolled up. */
export async function deleteTracesOfProject(sql: Sql, projectId: string): Promise<void> {
  await sql.run('delete from event_dedup_keys where project_id = $1', [projectId]);
  await sql.run('delete from events_pending where project_id = $1', [projectId]);
}

/** What to delete for shorter plans: arrivals in [fromMs, toMs) that lie in the given blocks of their tables. */
export type Piece = { fromMs: number; toMs: number; firstBlock: number; endBlock: number };

/**
 * Events past the retention of their project; what is not rolled up stays for at most `patienceMs` more. No index finds
 * arrivals, so a piece is a stretch of blocks: each is read once, and none takes long.
 */
export async function deleteExpiredEvents(
  sql: Sql,
  { fromMs, toMs, firstBlock, endBlock }: Piece,
  { nowMs, unrolledMs, patienceMs }: { nowMs: number; unrolledMs: number | null; patienceMs: number },
): Promise<number> {
  return sql.run(
    `delete from events e using (
       select id, least(cut, greatest(coalesce($4::timestamptz, cut), cut - $5 * interval '1 millisecond')) as cut
       from (select id, $3::timestamptz - event_retention_days * interval '1 day' as cut from projects) as own
     ) p where p.id = e.project_id and e.ingested_at >= $1 and e.ingested_at < $2 and e.ingested_at < p.cut
       and e.ctid >= $6::text::tid and e.ctid < $7::text::tid`,
    [
      instant(fromMs),
      instant(toMs),
      instant(nowMs),
      instant(unrolledMs),
      patienceMs,
      `(${firstBlock},0)`,
      `(${endBlock},0)`,
    ],
  );
}

/** Blocks of the largest span. */
export async function countBlocks(sql: Sql): Promise<number> {
  const row = await sql.row<{ blocks: number }>(
    `select coalesce(max(pg_relation_size(inhrelid)) / current_setting('block_size')::integer, 0) as blocks
     from pg_inherits where inhparent = 'events'::regclass`,
  );
  return row?.blocks ?? 0;
}

/** The shortest and the longest retention of any project, in days. */
export async function findRetentions(sql: Sql): Promise<{ shortest: number; longest: number } | null> {
  return sql.row<{ shortest: number; longest: number }>(
    'select min(event_retention_days) as shortest, max(event_retention_days) as longest from projects having count(*) > 0',
  );
}

/** Some of the keys that nobody may repeat any more. Returns how many went. */
export async function deleteOldKeys(sql: Sql, beforeMs: number, limit: number): Promise<number> {
  return sql.run(
    'delete from event_dedup_keys where ctid = any(array(select ctid from event_dedup_keys where at < $1 limit $2))',
    [instant(beforeMs), limit],
  );
}
