import { instant, type Sql } from '../../platform/db/sql.ts';

/** Deliveries in a row that fail for good before the channel counts as failing. */
const failuresMax = 5;

/** A delivery was sent: the channel is well. True if it was failing. */
export async function countSent(sql: Sql, projectId: string, id: string, nowMs: number): Promise<boolean> {
  const row = await sql.row<{ failed: boolean }>`
    with before as (
      select id, failing_since
      from channels
      where project_id = ${projectId}
        and id = ${id}
      for update
    )
    update channels c
    set failures = 0, failing_since = null, last_sent_at = ${instant(nowMs)}, last_error = null
    from before
    where c.id = before.id
    returning before.failing_since is not null as failed`;
  return row?.failed === true;
}

/**
 * An attempt failed; `ended` if it was the last, `sent` if something was sent nevertheless. True if the channel counts
 * as failing from now on: it has failed five deliveries in a row, or `repeatedly` the attempts of one.
 */
export async function countFailed(
  sql: Sql,
  { projectId, id }: { projectId: string; id: string },
  failed: { error: string; ended: boolean; repeatedly: boolean; sent: boolean },
  nowMs: number,
): Promise<boolean> {
  const row = await sql.row<{ began: boolean }>`
    with before as (
      select id, failing_since, failures + ${failed.ended ? 1 : 0}::integer as failures
      from channels
      where project_id = ${projectId}
        and id = ${id}
      for update
    )
    update channels c
    set failures = before.failures,
      last_error = ${failed.error},
      last_sent_at = coalesce(${failed.sent ? instant(nowMs) : null}, last_sent_at),
      failing_since = case
        when before.failing_since is null and (${failed.repeatedly} or before.failures >= ${failuresMax})
        then ${instant(nowMs)}
        else before.failing_since
      end
    from before
    where c.id = before.id
    returning before.failing_since is null and c.failing_since is not null as began`;
  return row?.began === true;
}
