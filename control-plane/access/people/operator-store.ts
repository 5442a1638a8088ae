import { instant, type Sql } from '../../platform/db/sql.ts';

/** Stores whether the list has the verified address of a person. False if that was known. */
export async function updateListed(
  sql: Sql,
  id: string,
  operators: readonly string[],
  nowMs: number,
): Promise<boolean> {
  const updated = await sql.run`
    update people set operator_by_list = not operator_by_list, updated_at = ${instant(nowMs)}
    where id = ${id}
      and operator_by_list <> (email_verified and lower(coalesce(email, '')) = any(${operators}::text[]))`;
  return updated === 1;
}
