import type { Change, Effect, Origin } from '../../platform/audit/entry.ts';
import type { RecordChange } from '../../platform/audit/record.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { lockProject } from '../../platform/projects/store.ts';
import { endInvitations, endMembership } from '../members/remove.ts';
import {
  findMember,
  hasOtherAdmin,
  listMembersByIds,
  type MemberRow,
  removeUnsupported,
  settleRoles,
} from '../members/store.ts';
import type { MembersChanged } from '../members/visits.ts';
import { auditGroupRole } from './group-role.ts';
import {
  deleteGroupRole,
  findGroupRole,
  insertMemberByGroup,
  listIdsByGroupRole,
  listProjectsToFollow,
  listRolesOfGroups,
  putGroupsOf,
} from './store.ts';

type Following = {
  origin: Omit<Origin, 'projectId'>;
  recordChange: RecordChange;
  membersChanged: MembersChanged;
};
type Followed = { person: { id: string; name: string }; groups: readonly string[] };

/**
 * Lets the roles of a person follow their groups, at a sign-in, in its transaction. What the provider takes away is not
 * refused: it may leave a project without an admin.
 */
export async function followGroups(
  sql: Sql,
  { person, groups }: Followed,
  { origin, recordChange, membersChanged }: Following,
  nowMs: number,
): Promise<void> {
  for (const projectId of await listProjectsToFollow(sql, person.id, groups)) {
    await lockProject(sql, projectId);
    const change = await followIn(sql, projectId, { person, groups }, nowMs);
    if (change === null) continue;
    await recordChange(sql, { ...origin, projectId }, change, nowMs);
    await membersChanged(sql, [projectId], nowMs);
  }
}

async function followIn(
  sql: Sql,
  projectId: string,
  { person, groups }: Followed,
  nowMs: number,
): Promise<Change | null> {
  const { id } = person;
  const given = await listRolesOfGroups(sql, projectId, groups);
  const before = await findMember(sql, projectId, id);
  const [first] = given;
  if (before === null && first !== undefined) await insertMemberByGroup(sql, projectId, id, first.role, nowMs);
  if (before === null && first === undefined) return null;
  const ids = given.map(role => role.id);
  await putGroupsOf(sql, projectId, id, ids);
  await removeUnsupported(sql, projectId, [id]);
  await settleRoles(sql, projectId, [id]);
  const after = await findMember(sql, projectId, id);
  if (before?.role === after?.role) return null;
  const also = await endOf(sql, projectId, before, after, nowMs);
  const sides = {
    before: before === null ? null : { role: before.role },
    after: after === null ? null : { role: after.role, reason: 'group' },
  };
  // An entry of what was deleted says why on the side that it has.
  const left = before !== null && after === null ? { before: { role: before.role, reason: 'group' } } : {};
  const action = before === null ? 'member.added' : after === null ? 'member.removed' : 'member.role_changed';
  return { action, subject: id, name: person.name, ...sides, ...left, also };
}

/**
 * Takes the role from a group, and from all who are members by it, at once. Returns the entry for the audit. Throws
 * `not_found`, or `last_admin` if nobody would be left to administer the project.
 */
export async function removeGroupRole(
  sql: Sql,
  { projectId, id }: { projectId: string; id: string },
  membersChanged: MembersChanged,
  nowMs: number,
): Promise<Change> {
  await lockProject(sql, projectId);
  const role = await findGroupRole(sql, projectId, id);
  if (role === null) throw new Problem('not_found');
  const ids = await listIdsByGroupRole(sql, id);
  const before = await listMembersByIds(sql, projectId, ids);
  await deleteGroupRole(sql, id);
  await removeUnsupported(sql, projectId, ids);
  await settleRoles(sql, projectId, ids);
  const after = new Map((await listMembersByIds(sql, projectId, ids)).map(member => [member.person_id, member]));
  const also: Effect[] = [];
  for (const member of before) {
    const now = after.get(member.person_id) ?? null;
    if (now?.role === member.role) continue;
    also.push({
      resource: 'member',
      subject: member.person_id,
      name: member.name,
      before: { role: member.role },
      after: now === null ? null : { role: now.role },
    });
    also.push(...(await endOf(sql, projectId, member, now, nowMs)));
  }
  const hadAdmin = before.some(member => member.role === 'admin');
  if (hadAdmin && !(await hasOtherAdmin(sql, projectId, ''))) throw new Problem('last_admin');
  await membersChanged(sql, [projectId], nowMs);
  return {
    action: 'group_role.deleted',
    subject: id,
    name: role.group,
    before: auditGroupRole(role),
    after: null,
    also,
  };
}

/** Whoever is no longer admin has invited nobody; whoever is no member has no token of their own. */
async function endOf(
  sql: Sql,
  projectId: string,
  before: MemberRow | null,
  after: MemberRow | null,
  nowMs: number,
): Promise<Effect[]> {
  if (before === null) return [];
  const target = { projectId, personId: before.person_id };
  if (after === null) return endMembership(sql, target, nowMs);
  return before.role === 'admin' && after.role !== 'admin' ? endInvitations(sql, target, nowMs) : [];
}
