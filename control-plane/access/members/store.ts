import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { Role } from '../../platform/projects/roles.ts';

/** What a person is in a project, with who it is; instants in milliseconds. */
export type MemberRow = {
  person_id: string;
  name: string;
  email: string | null;
  /** The highest: what they may do. */
  role: Role;
  direct_role: Role | null;
  group_roles: { group: string; role: Role }[];
  joined_at: number;
  last_seen_at: number | null;
};

const direct = fragment`case when m.by_groups then m.direct_role else m.role end`;
const columns = fragment`
  m.person_id, p.name, p.email, m.role, ${direct} as direct_role, m.joined_at, p.last_seen_at,
  coalesce(
    (
      select json_agg(json_build_object('group', g.group_name, 'role', g.role) order by g.group_name)
      from member_groups b
      join group_roles g on g.id = b.group_role_id
      where b.project_id = m.project_id and b.person_id = m.person_id
    ),
    '[]'
  ) as group_roles`;

/** The highest of a direct role and those by groups of the member `m`; null without any. */
const highestWith = (directRole: ReturnType<typeof fragment>) => fragment`
  (
    select r.role
    from (
      select ${directRole} as role
      union all
      select g.role
      from member_groups b
      join group_roles g on g.id = b.group_role_id
      where b.project_id = m.project_id and b.person_id = m.person_id
    ) r
    where r.role is not null
    order by array_position(array['viewer', 'responder', 'editor', 'admin'], r.role) desc
    limit 1
  )`;

type MemberFilter = { q: string | null; role: Role | null };

/** A page of the project's members, who joined last first. */
export async function listMembers(
  sql: Sql,
  projectId: string,
  { q, role }: MemberFilter,
  page: Page,
): Promise<MemberRow[]> {
  return sql.rows<MemberRow>`
    select ${columns}
    from members m
    join people p on p.id = m.person_id
    where m.project_id = ${projectId}
      and (${role}::text is null or m.role = ${role})
      and (
        ${q}::text is null
        or position(lower(${q}) in lower(p.name)) > 0
        or position(lower(${q}) in lower(p.email)) > 0
      )
      and ${olderThan(page, fragment`m.joined_at, m.person_id`)}
    order by m.joined_at desc, m.person_id desc
    limit ${page.limit + 1}`;
}

/** Null if the person is no member. Lock the project first where this decides anything. */
export async function findMember(sql: Sql, projectId: string, personId: string): Promise<MemberRow | null> {
  return sql.row<MemberRow>`
    select ${columns}
    from members m
    join people p on p.id = m.person_id
    where m.project_id = ${projectId} and m.person_id = ${personId}`;
}

/** These members, by person. */
export async function listMembersByIds(sql: Sql, projectId: string, ids: readonly string[]): Promise<MemberRow[]> {
  return sql.rows<MemberRow>`
    select ${columns}
    from members m
    join people p on p.id = m.person_id
    where m.project_id = ${projectId} and m.person_id = any(${ids})
    order by m.person_id`;
}

/** What an active person is in a project, which they stay until the transaction ends; null if nothing. */
export async function lockMembership(
  sql: Sql,
  projectId: string,
  personId: string,
): Promise<{ role: Role; operator: boolean } | null> {
  return sql.row`
    select m.role, p.operator or p.operator_by_provider or p.operator_by_list as operator
    from members m
    join people p on p.id = m.person_id
    where m.project_id = ${projectId} and m.person_id = ${personId} and p.state = 'active'
    for share`;
}

/** Makes somebody a member, or sets the direct role: a group may give a higher one. */
export async function putMember(
  sql: Sql,
  projectId: string,
  personId: string,
  role: Role,
  nowMs: number,
): Promise<void> {
  await sql.run`
    insert into members as m (project_id, person_id, role, direct_role, joined_at, resting)
    select ${projectId}, id, ${role}, ${role}, ${instant(nowMs)}, state = 'deactivated'
    from people
    where id = ${personId}
    on conflict (project_id, person_id) do update set
      direct_role = excluded.direct_role,
      role = ${highestWith(fragment`excluded.direct_role`)}`;
}

/** Ends the membership of those who are in by no group any more, and were by nothing else. */
export async function removeUnsupported(sql: Sql, projectId: string, ids: readonly string[]): Promise<void> {
  await sql.run`
    delete from members m
    where m.project_id = ${projectId} and m.person_id = any(${ids}) and m.by_groups and m.direct_role is null
      and not exists (
        select from member_groups b
        where b.project_id = m.project_id and b.person_id = m.person_id
      )`;
}

/** Sets the roles of members to the highest that they have. */
export async function settleRoles(sql: Sql, projectId: string, ids: readonly string[]): Promise<void> {
  await sql.run`
    update members m set
      by_groups = exists (
        select from member_groups b
        where b.project_id = m.project_id and b.person_id = m.person_id
      ),
      direct_role = ${direct},
      role = coalesce(${highestWith(direct)}, m.role)
    where m.project_id = ${projectId} and m.person_id = any(${ids})`;
}

export async function deleteMember(sql: Sql, projectId: string, personId: string): Promise<void> {
  await sql.run`
    delete from members
    where project_id = ${projectId} and person_id = ${personId}`;
}

/** The admins of the project. */
export async function listAdminIds(sql: Sql, projectId: string): Promise<string[]> {
  const rows = await sql.rows<{ person_id: string }>`
    select person_id
    from members
    where project_id = ${projectId} and role = 'admin'
    order by person_id`;
  return rows.map(({ person_id }) => person_id);
}

/** Whether somebody else is an active admin of the project. */
export async function hasOtherAdmin(sql: Sql, projectId: string, personId: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from members m
    join people p on p.id = m.person_id
    where m.project_id = ${projectId} and m.person_id <> ${personId} and m.role = 'admin' and p.state = 'active'
    limit 1`;
  return row !== null;
}

/** A project of a person. */
export type OwnProject = { id: string; name: string; role: Role };

/** The projects of a person by name. */
export async function listProjectsOf(sql: Sql, personId: string, limit = 1000): Promise<OwnProject[]> {
  return sql.rows<OwnProject>`
    select p.id, p.name, m.role
    from members m
    join projects p on p.id = m.project_id
    where m.person_id = ${personId}
    order by lower(p.name), p.id
    limit ${limit}`;
}

/** The ids of all projects of a person. */
export async function listProjectIdsOf(sql: Sql, personId: string): Promise<string[]> {
  const rows = await sql.rows<{ project_id: string }>`
    select project_id
    from members
    where person_id = ${personId}
    order by project_id`;
  return rows.map(({ project_id }) => project_id);
}

/** From now on no cookie of a status page counts that the person has. `resting`: null to leave it as it is. */
export async function signOutOfPages(
  sql: Sql,
  personId: string,
  resting: boolean | null,
  nowMs: number,
): Promise<void> {
  await sql.run`
    update members set signed_out_at = ${instant(nowMs)}, resting = coalesce(${resting}, resting)
    where person_id = ${personId}`;
}

/** The living service tokens that a person made for a project. */
export async function listTokensMadeBy(sql: Sql, projectId: string, personId: string): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from tokens
    where project_id = ${projectId} and created_by_person = ${personId} and person_id is null
      and revoked_at is null
    order by id`;
  return rows.map(({ id }) => id);
}
