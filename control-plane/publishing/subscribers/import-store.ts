import { instant, type Sql } from '../../platform/db/sql.ts';

/** How many addresses a project may import a day, and has imported today (UTC); why imports ended, if they did. */
export type ImportAllowance = { perDay: number; imported: number; endedReason: string | null };

/** Counts imported addresses, unless that exceeds the day's allowance: then it returns the allowance, else null. */
export async function countImported(
  sql: Sql,
  projectId: string,
  count: number,
  nowMs: number,
): Promise<ImportAllowance | null> {
  const today = instant(nowMs).slice(0, 10);
  const counted = await sql.run`
    update subscriber_imports
    set imported = case when day = ${today}::date then imported else 0 end + ${count}::integer, day = ${today}::date
    where project_id = ${projectId}
      and per_day > 0
      and case when day = ${today}::date then imported else 0 end + ${count}::integer <= per_day`;
  if (counted === 1) return null;
  const row = await sql.row<{ per_day: number; imported: number; ended_reason: string | null }>`
    select per_day, case when day = ${today}::date then imported else 0 end as imported, ended_reason
    from subscriber_imports
    where project_id = ${projectId}`;
  return { perDay: row?.per_day ?? 0, imported: row?.imported ?? 0, endedReason: row?.ended_reason ?? null };
}

/** Addresses with consent that a project may add one by one in a day (UTC) where imports are not switched on. */
export const singlesPerDay = 20;

/**
 * Counts one address that was added with consent, as an import of one. False if the day's are used up, or imports were
 * ended since recipients refused them.
 */
export async function countSingle(sql: Sql, projectId: string, nowMs: number): Promise<boolean> {
  const today = instant(nowMs).slice(0, 10);
  const counted = await sql.run`
    insert into subscriber_imports as i (project_id, per_day, day, imported)
    values (${projectId}, 0, ${today}::date, 1)
    on conflict (project_id) do update
    set imported = case when i.day = excluded.day then i.imported else 0 end + 1, day = excluded.day
    where i.ended_reason is null
      and case when i.day = excluded.day then i.imported else 0 end < greatest(i.per_day, ${singlesPerDay}::integer)`;
  return counted === 1;
}

/** 0: none. */
export async function findImportsPerDay(sql: Sql, projectId: string): Promise<number> {
  const row = await sql.row<{ per_day: number }>`
    select per_day
    from subscriber_imports
    where project_id = ${projectId}
    for update`;
  return row?.per_day ?? 0;
}

/** Sets how many addresses a project may import a day; 0 switches imports off. */
export async function setImportsPerDay(sql: Sql, projectId: string, perDay: number, nowMs: number): Promise<void> {
  await sql.run`
    insert into subscriber_imports (project_id, per_day, day, imported)
    values (${projectId}, ${perDay}, ${instant(nowMs).slice(0, 10)}::date, 0)
    on conflict (project_id) do update
    set per_day = excluded.per_day, ended_reason = null`;
}

/** How the recipients of a project's latest imports answer: `bad` refuse the emails, or unsubscribed. */
export type ImportAnswers = { project_id: string; total: number; bad: number };

/** The answers to imports since an instant, of projects that have any. */
export async function readImportAnswers(sql: Sql, sinceMs: number): Promise<ImportAnswers[]> {
  return sql.rows<ImportAnswers>`
    select
      project_id,
      count(*)::integer as total,
      (count(*) filter (where failures > 0 or state in ('quarantined', 'unsubscribed')))::integer as bad
    from subscribers
    where imported_at >= ${instant(sinceMs)}
    group by project_id`;
}

/** Switches a project's imports off. */
export async function endImports(sql: Sql, projectId: string, reason: string): Promise<void> {
  await sql.run`
    update subscriber_imports
    set per_day = 0, ended_reason = ${reason}
    where project_id = ${projectId}`;
}

/**
 * Nothing more is sent to the addresses that a project imported since an instant, and their answers are no longer
 * watched. Earlier imports have proved themselves.
 */
export async function quarantineImported(
  sql: Sql,
  projectId: string,
  reason: string,
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): Promise<void> {
  await sql.run`
    update subscribers
    set state = case when state = 'active' then 'quarantined' else state end,
      state_reason = case when state = 'active' then ${reason} else state_reason end,
      ended_at = case when state = 'active' then ${instant(nowMs)}::timestamptz else ended_at end,
      imported_at = null
    where project_id = ${projectId}
      and imported_at >= ${instant(sinceMs)}`;
}
