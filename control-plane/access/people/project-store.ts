import type { Sql } from '../../platform/db/sql.ts';
import type { Role } from '../../platform/projects/roles.ts';

const projectsMax = 1000;

/** Every project of the installation by name, with what the person is there; null if nothing. */
export async function listAllProjects(
  sql: Sql,
  personId: string,
): Promise<{ id: string; name: string; role: Role | null }[]> {
  return sql.rows`
    select p.id, p.name, m.role
    from projects p
    left join members m on m.project_id = p.id and m.person_id = ${personId}
    order by lower(p.name), p.id
    limit ${projectsMax}`;
}
