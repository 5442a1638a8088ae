import { newId } from '#shared/ids.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { Role } from '../../platform/projects/roles.ts';
import type { GroupRoleRow } from './group-role.ts';

const columns = fragment`id, project_id, group_name as "group", role, created_at`;
const projectsMax = 1000;

/** Null if the group has a role in the project already. */
export async function insertGroupRole(
  sql: Sql,
  { projectId, group, role }: { projectId: string; group: string; role: Role },
  nowMs: number,
): Promise<GroupRoleRow | null> {
  return sql.row<GroupRoleRow>`
    insert into group_roles (id, project_id, group_name, role, created_at)
    values (${newId('grr', nowMs)}, ${projectId}, ${group}, ${role}, ${instant(nowMs)})
    on conflict (project_id, group_name) do nothing
    returning ${columns}`;
}

/** A page of the project's roles by groups, newest first. */
export async function listGroupRoles(sql: Sql, projectId: string, page: Page): Promise<GroupRoleRow[]> {
  return sql.rows<GroupRoleRow>`
    select ${columns}
    from group_roles
    where project_id = ${projectId}
      and ${olderThan(page, fragment`created_at, id`)}
    order by created_at desc, id desc
    limit ${page.limit + 1}`;
}

/** Null if the project has none with this id. Lock the project first where this decides anything. */
export async function findGroupRole(sql: Sql, projectId: string, id: string): Promise<GroupRoleRow | null> {
  return sql.row<GroupRoleRow>`
    select ${columns}
    from group_roles
    where project_id = ${projectId} and id = ${id}`;
}

export async function deleteGroupRole(sql: Sql, id: string): Promise<void> {
  await sql.run`
    delete from group_roles
    where id = ${id}`;
}

/** Who is a member of the project by a group. */
export async function listIdsByGroupRole(sql: Sql, id: string): Promise<string[]> {
  const rows = await sql.rows<{ person_id: string }>`
    select person_id
    from member_groups
    where group_role_id = ${id}
    order by person_id`;
  return rows.map(({ person_id }) => person_id);
}

/** The roles that groups give in a project. */
export async function listRolesOfGroups(
  sql: Sql,
  projectId: string,
  groups: readonly string[],
): Promise<GroupRoleRow[]> {
  return sql.rows<GroupRoleRow>`
    select ${columns}
    from group_roles
    where project_id = ${projectId} and group_name = any(${groups})
    order by id`;
}

/** Whether any group has a role in some project, and whether one of these has. */
export async function lookAtGroups(sql: Sql, groups: readonly string[]): Promise<{ some: boolean; own: boolean }> {
  const row = await sql.row<{ some: boolean; own: boolean }>`
    select exists (select from group_roles) as some,
      exists (select from group_roles where group_name = any(${groups})) as own`;
  return row ?? { some: false, own: false };
}

/** The projects in which the groups of a person are others than at the last sign-in, in the order of locking. */
export async function listProjectsToFollow(sql: Sql, personId: string, groups: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ project_id: string }>`
    with given as (
      select project_id, id
      from group_roles
      where group_name = any(${groups})
    ), had as (
      select project_id, group_role_id as id
      from member_groups
      where person_id = ${personId}
    )
    select distinct project_id
    from (
      (select project_id, id from given except select project_id, id from had)
      union all
      (select project_id, id from had except select project_id, id from given)
    ) as differing
    order by project_id
    limit ${projectsMax}`;
  return rows.map(({ project_id }) => project_id);
}

/** Makes somebody a member by groups who is none yet. */
export async function insertMemberByGroup(
  sql: Sql,
  projectId: string,
  personId: string,
  role: Role,
  nowMs: number,
): Promise<void> {
  await sql.run`
    insert into members (project_id, person_id, role, by_groups, joined_at)
    values (${projectId}, ${personId}, ${role}, true, ${instant(nowMs)})`;
}

/** Stores by which groups a member is one. */
export async function putGroupsOf(
  sql: Sql,
  projectId: string,
  personId: string,
  groupRoleIds: readonly string[],
): Promise<void> {
  await sql.run`
    delete from member_groups
    where project_id = ${projectId} and person_id = ${personId} and group_role_id <> all(${groupRoleIds})`;
  await sql.run`
    insert into member_groups (group_role_id, project_id, person_id)
    select id, ${projectId}, ${personId}
    from unnest(${groupRoleIds}::text[]) as given (id)
    on conflict do nothing`;
}
