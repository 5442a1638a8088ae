import type { Sql } from '../sql.ts';

/** Row-level security is the second line of defence between projects, and superusers bypass it. */
export async function bypassingRole(sql: Sql): Promise<string | null> {
  const role = await sql.row<{ name: string; bypasses: boolean }>`
    select rolname as name, rolsuper or rolbypassrls as bypasses
    from pg_roles
    where rolname = current_user`;
  return role?.bypasses === true ? role.name : null;
}
