import { instant, type Sql } from '../db/sql.ts';

/** How many addresses a project may import a day, and has imported today (UTC). */
export type ImportAllowance = { perDay: number; imported: number };

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
  const row = await sql.row<{ per_day: number; imported: number }>`
    select per_day, case when day = ${today}::date then imported else 0 end as imported
    from subscriber_imports
    where project_id = ${projectId}`;
  return { perDay: row?.per_day ?? 0, imported: row?.imported ?? 0 };
}

/** Sets how many addresses a project may import a day; 0 switches imports off. */
export async function setImportsPerDay(sql: Sql, projectId: string, perDay: number, nowMs: number): Promise<void> {
  await sql.run`
    insert into subscriber_imports (project_id, per_day, day, imported)
    values (${projectId}, ${perDay}, ${instant(nowMs).slice(0, 10)}::date, 0)
    on conflict (project_id) do update
    set per_day = excluded.per_day`;
}
