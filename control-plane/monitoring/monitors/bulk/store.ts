import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { IdempotentRequest } from '../../../platform/http/endpoint/endpoint.ts';
import { monitorSubject, selectorCondition } from '../../../platform/selectors/compile.ts';
import type { Selector } from '../../../platform/selectors/selector.ts';
import type { BulkItem } from './bulk.ts';

/** A monitor that a call is about; the name is null if the project has none with this id. */
export type Chosen = { id: string; name: string | null };

/** Counts the monitors that match, and returns the first of them by id. */
export async function chooseMatching(
  sql: Sql,
  projectId: string,
  selector: Selector,
  limit: number,
): Promise<{ matched: number; chosen: Chosen[] }> {
  const rows = await sql.once<Chosen & { matched: number }>`
    select m.id, m.name, count(*) over () as matched
    from monitors m
    where m.project_id = ${projectId}
      and m.deleted_at is null
      and ${selectorCondition(selector, monitorSubject)}
    order by m.id
    limit ${limit}`;
  return { matched: rows[0]?.matched ?? 0, chosen: rows.map(({ id, name }) => ({ id, name })) };
}

/** The ids in their order, with the names of those that are monitors of the project. */
export async function chooseNamed(sql: Sql, projectId: string, ids: readonly string[]): Promise<Chosen[]> {
  return sql.rows<Chosen>`
    select given.id, m.name
    from unnest(${ids}::text[]) as given (id)
    left join monitors m on m.id = given.id and m.project_id = ${projectId} and m.deleted_at is null
    order by given.id collate "C"`;
}

/** An unfinished call: what it is about, what is done, and who does it. */
export type BulkRun = IdempotentRequest & { projectId: string; runner: string };
export type Progress = { chosen: Chosen[]; items: BulkItem[] };

/** What an unfinished call with this key has done; null if there is none. */
export async function findRun(
  sql: Sql,
  { projectId, key }: Pick<BulkRun, 'projectId' | 'key'>,
): Promise<(Progress & { fingerprint: Buffer }) | null> {
  return sql.row`
    select fingerprint, chosen, items
    from bulk_runs
    where project_id = ${projectId} and key = ${key}`;
}

/** Begins a call, or takes over one that nobody runs any more; false if somebody does. */
export async function takeRun(
  sql: Sql,
  run: BulkRun,
  chosen: readonly Chosen[],
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
): Promise<boolean> {
  const taken = await sql.run`
    insert into bulk_runs as run (
      project_id, key, fingerprint, runner, running_until, chosen, items, created_at
    )
    values (
      ${run.projectId}, ${run.key}, ${run.fingerprint}, ${run.runner}, ${instant(untilMs)}, ${JSON.stringify(chosen)},
      '[]', ${instant(nowMs)}
    )
    on conflict (project_id, key) do update
    set runner = excluded.runner, running_until = excluded.running_until
    where run.running_until < ${instant(nowMs)}
      and run.fingerprint = any(${[run.fingerprint, ...run.former]}::bytea[])`;
  return taken === 1;
}

/** Adds a finished item, in its transaction; false if somebody else has taken the call over. */
export async function addItem(sql: Sql, run: BulkRun, item: BulkItem, untilMs: number): Promise<boolean> {
  const added = await sql.run`
    update bulk_runs
    set items = items || ${JSON.stringify([item])}::jsonb, running_until = ${instant(untilMs)}
    where project_id = ${run.projectId} and key = ${run.key} and runner = ${run.runner}`;
  return added === 1;
}

export async function deleteRun(sql: Sql, { projectId, key }: BulkRun): Promise<void> {
  await sql.run`delete from bulk_runs where project_id = ${projectId} and key = ${key}`;
}

/** Deletes calls that were begun before the instant. */
export async function deleteRunsBefore(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`delete from bulk_runs where created_at < ${instant(beforeMs)}`;
}
