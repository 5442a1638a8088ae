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

/** Events that arrived in [fromMs, toMs) and are past the retention of their project. One look at the span for all projects. */
export async function deleteExpiredEvents(sql: Sql, fromMs: number, toMs: number, nowMs: number): Promise<number> {
  return sql.run(
    `delete from events e using projects p where p.id = e.project_id and e.ingested_at >= $1 and e.ingested_at < $2
       and e.ingested_at < $3::timestamptz - p.event_retention_days * interval '1 day'`,
    [instant(fromMs), instant(toMs), instant(nowMs)],
  );
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
