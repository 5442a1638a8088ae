import { texts } from '../../platform/db/binary-array.ts';
import type { Sql } from '../../platform/db/sql.ts';

/**
 * The epoch of each project: none of its links is moved or deleted until this transaction ends, and none was since the
 * same epoch was found before. Of projects that are not named, links may be, or were never read.
 */
export async function keepLinks(sql: Sql, projectIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql.rows<{ id: string; epoch: string | null }>`
    select id, session_link_epoch(id) as epoch
    from unnest(${texts(projectIds)}::text[]) as p (id)`;
  return new Map(rows.flatMap(({ id, epoch }) => (epoch === null ? [] : [[id, epoch]])));
}

/**
 * Before links are locked, to be moved or deleted: waits for the transactions that keep them. Until this one ends, no
 * other keeps any.
 */
export async function claimLinks(sql: Sql, projectId: string): Promise<void> {
  await sql.run`select pg_advisory_xact_lock(hashtextextended(${`kept links ${projectId}`}, 0))`;
}

/** Of claimed links some are moved or deleted. */
export async function endEpoch(sql: Sql, projectId: string): Promise<void> {
  await sql.run`update session_link_passes set removals = removals + 1 where project_id = ${projectId}`;
}
