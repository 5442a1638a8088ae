import type { Change, Effect } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Role } from '../../platform/projects/roles.ts';
import { lockProject } from '../../platform/projects/store.ts';
import { auditInvitation } from '../invitations/invitation.ts';
import { revokeSentBy } from '../invitations/store.ts';
import { revokeAsEffects, revokePersonalTokens } from '../tokens/revoke.ts';
import { deleteMember, findMember, hasOtherAdmin, listTokensMadeBy, type MemberRow, putMember } from './store.ts';

type Target = { projectId: string; personId: string };

/**
 * Sets the direct role of a member; a group may give a higher one. Whoever is no longer admin has invited
 * nobody. Returns the entry for the audit. Throws `not_found` or `last_admin`. The project's row decides: of two admins
 * who lower each other at once, one stays.
 */
export async function changeRole(
  sql: Sql,
  { projectId, personId }: Target,
  role: Role,
  nowMs: number,
): Promise<Change> {
  await lockProject(sql, projectId);
  const member = await findMember(sql, projectId, personId);
  if (member === null) throw new Problem('not_found');
  const isLowered = member.role === 'admin' && ![role, ...rolesByGroups(member)].includes('admin');
  if (isLowered) await requireOtherAdmin(sql, { projectId, personId });
  await putMember(sql, projectId, personId, role, nowMs);
  const also = isLowered ? await endInvitations(sql, { projectId, personId }, nowMs) : [];
  const sides = { before: { role: member.direct_role }, after: { role } };
  return { action: 'member.role_changed', subject: personId, name: member.name, ...sides, also };
}

/**
 * Ends a membership, with the invitations that the person sent and, if asked, the tokens that they made. Returns the
 * entry for the audit. Throws `not_found`, `last_admin`, or `member_by_group`: at the next sign-in they would be back.
 */
export async function removeMember(
  sql: Sql,
  { projectId, personId }: Target,
  { tokens, leaves }: { tokens: 'keep' | 'revoke'; leaves: boolean },
  nowMs: number,
): Promise<Change> {
  await lockProject(sql, projectId);
  const member = await findMember(sql, projectId, personId);
  if (member === null) throw new Problem('not_found');
  const [group] = member.group_roles;
  if (group !== undefined)
    throw new Problem('member_by_group', { detail: `the person is a member by the group ${group.group}` });
  if (member.role === 'admin') await requireOtherAdmin(sql, { projectId, personId });
  await deleteMember(sql, projectId, personId);
  const also = await endMembership(sql, { projectId, personId }, nowMs);
  if (tokens === 'revoke') also.push(...(await revokeMade(sql, { projectId, personId }, nowMs)));
  const sides = { before: { role: member.role }, after: null };
  return { action: leaves ? 'member.left' : 'member.removed', subject: personId, name: member.name, ...sides, also };
}

function rolesByGroups({ group_roles }: MemberRow): Role[] {
  return group_roles.map(({ role }) => role);
}

async function requireOtherAdmin(sql: Sql, { projectId, personId }: Target): Promise<void> {
  if (!(await hasOtherAdmin(sql, projectId, personId))) throw new Problem('last_admin');
}

/** Revokes what somebody had who is no member any more: their own tokens, and the invitations that they sent. */
export async function endMembership(sql: Sql, target: Target, nowMs: number): Promise<Effect[]> {
  const tokens = await revokePersonalTokens(sql, target, nowMs);
  return [...(await endInvitations(sql, target, nowMs)), ...(tokens.get(target.projectId) ?? [])];
}

/** Revokes what somebody sent who may invite nobody any more. */
export async function endInvitations(sql: Sql, { projectId, personId }: Target, nowMs: number): Promise<Effect[]> {
  const revoked = await revokeSentBy(sql, projectId, personId, nowMs);
  return revoked.map(row => ({
    resource: 'invitation',
    subject: row.id,
    name: row.email ?? row.name,
    before: auditInvitation(row),
    after: null,
  }));
}

async function revokeMade(sql: Sql, { projectId, personId }: Target, nowMs: number): Promise<Effect[]> {
  const effects: Effect[] = [];
  for (const id of await listTokensMadeBy(sql, projectId, personId))
    effects.push(...(await revokeAsEffects(sql, { projectId, id }, nowMs)));
  return effects;
}
