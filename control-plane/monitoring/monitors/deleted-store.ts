import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { isLeftOut } from '../../platform/failures/store.ts';
import type { BoundMonitorRow } from './row.ts';
import { boundColumns } from './store.ts';

/** Deletes a monitor for clients and agents; its row and history remain. */
export async function markDeleted(sql: Sql, id: string, nowMs: number): Promise<void> {
  const now = instant(nowMs);
  await sql.run`
    update monitors
    set deleted_at = ${now}, configured_at = ${now}, updated_at = ${now}, changed_xid = pg_current_xact_id()
    where id = ${id}`;
}

/** Locks the most recently deleted monitor of that name; of several concurrent callers exactly one gets it. */
export async function lockDeletedByName(
  sql: Sql,
  projectId: string,
  name: string,
  afterMs: number,
): Promise<BoundMonitorRow | null> {
  return sql.row<BoundMonitorRow>`
    select ${boundColumns}
    from monitors m
    where m.project_id = ${projectId}
      and m.name = ${name}
      and m.deleted_at > ${instant(afterMs)}
    order by m.deleted_at desc
    limit 1
    for update skip locked`;
}

/** Locks monitors deleted before the instant, whose history is due for deletion, but those that failed lately. */
export async function listExpired(sql: Sql, deletedBeforeMs: number, limit: number, nowMs: number): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from monitors
    where deleted_at <= ${instant(deletedBeforeMs)}
      and not ${isLeftOut('retention', fragment`id`, nowMs)}
    order by deleted_at
    limit ${limit}
    for update skip locked`;
  return rows.map(row => row.id);
}

/** Deletes the rows of monitors that are marked deleted. */
export async function deleteMonitors(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.run`delete from monitors where id = any(${ids}::text[]) and deleted_at is not null`;
}
