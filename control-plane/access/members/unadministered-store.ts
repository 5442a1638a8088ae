import type { Sql } from '../../platform/db/sql.ts';

const projectsMax = 1000;

/** Projects that have members, of whom no active one is admin. */
export async function listUnadministered(sql: Sql): Promise<{ id: string; name: string }[]> {
  return sql.rows`
    select p.id, p.name
    from (
      select m.project_id
      from members m
      join people one on one.id = m.person_id
      group by m.project_id
      having not bool_or(m.role = 'admin' and one.state = 'active')
    ) without
    join projects p on p.id = without.project_id
    order by p.id
    limit ${projectsMax}`;
}
