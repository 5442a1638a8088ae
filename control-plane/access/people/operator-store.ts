import { instant, type Sql } from '../../platform/db/sql.ts';

/**
 * Stores whether the list makes an operator of a person: whether it has their verified address, which nobody has who is
 * deactivated. Else they could come back by it as somebody new. False if that was known.
 */
export async function updateListed(
  sql: Sql,
  id: string,
  operators: readonly string[],
  nowMs: number,
): Promise<boolean> {
  const updated = await sql.run`
    update people one
    set operator_by_list = not one.operator_by_list, updated_at = ${instant(nowMs)}
    where one.id = ${id}
      and one.operator_by_list <> (
        one.email_verified
        and lower(coalesce(one.email, '')) = any(${operators}::text[])
        and not exists (
          select
          from people gone
          where gone.state = 'deactivated' and gone.email_verified and lower(gone.email) = lower(one.email)
        )
      )`;
  return updated === 1;
}
