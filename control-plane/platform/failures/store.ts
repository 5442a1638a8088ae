import { type Fragment, fragment, instant, type Sql } from '../db/sql.ts';
import {
  forgetAfterMs,
  forgetRareAfterMs,
  type Item,
  rareWorks,
  retryAfterMs,
  setApartFailures,
  type Work,
} from './failure.ts';

/** An item that fails again and again. Instants in milliseconds. */
export type WorkFailure = {
  work: Work;
  item: string;
  project_id: string | null;
  failures: number;
  first_at: number;
  last_at: number;
  error: string;
};

/** Counts a failure of an item, which is left out for a while. */
export async function addFailure(sql: Sql, { work, id, projectId, nowMs }: Item, error: string): Promise<void> {
  const row = await sql.row<{ failures: number }>`
    insert into work_failures as f (work, item, project_id, first_at, last_at, retry_at, error)
    values (${work}, ${id}, ${projectId}, ${instant(nowMs)}, ${instant(nowMs)}, ${instant(nowMs)}, ${error})
    on conflict (work, item) do update
    set failures = f.failures + 1, last_at = excluded.last_at, error = excluded.error
    returning failures`;
  await sql.run`
    update work_failures
    set retry_at = ${instant(nowMs + retryAfterMs(row?.failures ?? 1))}
    where work = ${work} and item = ${id}`;
}

/** Whether the item in the column `item` failed lately, and is left out for now. */
export function isLeftOut(work: Work, item: Fragment, nowMs: number): Fragment {
  return fragment`
    exists (
      select 1
      from work_failures f
      where f.work = ${work} and f.item = ${item} and f.retry_at > ${instant(nowMs)}
    )`;
}

/** Items of a loop that failed and are due again, those that wait longest first. */
export async function listToRetry(sql: Sql, work: Work, nowMs: number, limit: number): Promise<string[]> {
  const rows = await sql.rows<{ item: string }>`
    select item
    from work_failures
    where work = ${work} and retry_at <= ${instant(nowMs)}
    order by retry_at
    limit ${limit}`;
  return rows.map(({ item }) => item);
}

/** An item works again. */
export async function clearFailure(sql: Sql, { work, id }: Pick<Item, 'work' | 'id'>): Promise<void> {
  await sql.run`delete from work_failures where work = ${work} and item = ${id}`;
}

/**
 * What has not failed again for a while works. Alerts that have to be evaluated again stay until that has worked; what
 * is tried rarely stays longer.
 */
export async function deleteFailures(sql: Sql, nowMs: number): Promise<void> {
  await sql.run`
    delete from work_failures
    where ctid in (
      select ctid
      from work_failures
      where greatest(last_at, retry_at)
          < case when work = any(${rareWorks}::text[]) then ${instant(nowMs - forgetRareAfterMs)}
            else ${instant(nowMs - forgetAfterMs)} end::timestamptz
        and work <> 'alerts'
      for update skip locked
    )`;
}

/** Items that failed again and again, longest first. */
export async function listSetApart(sql: Sql, limit: number): Promise<WorkFailure[]> {
  return sql.rows<WorkFailure>`
    select work, item, project_id, failures, first_at, last_at, error
    from work_failures
    where failures >= ${setApartFailures}
    order by first_at, work, item
    limit ${limit}`;
}
