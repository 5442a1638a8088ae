import type { Sql } from '../../platform/db/sql.ts';

/** Binds a subscription to the membership of a person, or with null to none. */
export async function bindToMember(sql: Sql, id: string, personId: string | null): Promise<void> {
  await sql.run`
    update subscribers set person_id = ${personId}
    where id = ${id} and person_id is distinct from ${personId}`;
}

/** The same for one that a visitor began, as before the page was for members; not for one that the operator added. */
export async function bindVisitor(sql: Sql, id: string, personId: string): Promise<void> {
  await sql.run`
    update subscribers set person_id = ${personId}
    where id = ${id} and by_visitor and consent is null`;
}

/** Deletes subscriptions of those who are no members any more; returns their ids. */
export async function deleteFormerMembers(sql: Sql, projectIds: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    delete from subscribers s
    where s.project_id = any(${projectIds}) and s.person_id is not null
      and not exists (
        select from members m
        where m.project_id = s.project_id and m.person_id = s.person_id and not m.resting
      )
    returning id`;
  return rows.map(({ id }) => id);
}
