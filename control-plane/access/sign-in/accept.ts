import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { roles } from '../../platform/projects/roles.ts';
import { lockProject } from '../../platform/projects/store.ts';
import { auditInvitation, type InvitationRow, openOrNull } from '../invitations/invitation.ts';
import { acceptInvitation, lockInvitationOf } from '../invitations/store.ts';
import { findMember, putMember } from '../members/store.ts';
import { auditPerson } from '../people/person.ts';
import { findPerson, hasOperator, updatePerson, verifyEmail } from '../people/store.ts';
import type { SignInServices } from './services.ts';

/**
 * Makes a person a member as the invitation says, once; somebody who is one already gets the higher role. Throws
 * `link_expired` for whatever cannot be accepted.
 */
export async function acceptAs(
  sql: Sql,
  hash: Uint8Array,
  person: { id: string; name: string; requestId: string },
  services: Pick<SignInServices, 'clock' | 'recordChange' | 'membersChanged' | 'emailPeople'>,
): Promise<{ project_id: string; role: string }> {
  const { clock, recordChange, membersChanged, emailPeople } = services;
  const nowMs = clock.now();
  const invitation = openOrNull(await lockInvitationOf(sql, hash, nowMs), nowMs);
  if (invitation === null) throw new Problem('link_expired');
  const { id, name, requestId } = person;
  const { project_id: projectId } = invitation;
  // Groups may change while somebody joins.
  await lockProject(sql, projectId);
  const member = await findMember(sql, projectId, id);
  const former = member?.role ?? null;
  const given = higherOf(invitation.role, member?.direct_role ?? null);
  const role = higherOf(given, former);
  await acceptInvitation(sql, invitation.id, id, nowMs);
  const { proven_email: provenEmail } = invitation;
  // A link that was handed over proves none: whoever did knows it as well.
  if (provenEmail !== null) await verifyEmail(sql, id, provenEmail, nowMs);
  await putMember(sql, projectId, id, given, nowMs);
  await membersChanged(sql, [projectId], nowMs);
  const origin = {
    projectId,
    actor: { type: 'person', id, name },
    via: 'dashboard',
    requestId,
    planId: null,
  } as const;
  await recordChange(
    sql,
    origin,
    {
      action: 'invitation.accepted',
      subject: invitation.id,
      name: invitation.email ?? invitation.name,
      before: auditInvitation(invitation),
      after: { ...auditInvitation(invitation), accepted_by: id, by_mail: provenEmail !== null },
      also: [
        {
          resource: 'member',
          subject: id,
          name,
          before: former === null ? null : { role: former },
          after: { role },
        },
      ],
    },
    nowMs,
  );
  const { invited_by: inviter } = invitation;
  if (inviter.type === 'person' && inviter.id !== id)
    await emailPeople(sql, { personIds: [inviter.id], projectId }, { type: 'invitation_used', by: id, role }, nowMs);
  if (invitation.for_operator && !(await hasOperator(sql))) {
    const change = await makeOperator(sql, id, nowMs);
    if (change !== null) await recordChange(sql, { ...origin, projectId: null }, change, nowMs);
  }
  return { project_id: projectId, role };
}

/** The first person who comes by the operator's token runs the installation. */
async function makeOperator(sql: Sql, personId: string, nowMs: number): Promise<Change | null> {
  const before = await findPerson(sql, personId);
  const after = await updatePerson(sql, personId, { operator: true }, nowMs);
  if (before === null || after === null) return null;
  const sides = { before: auditPerson(before), after: auditPerson(after) };
  return { action: 'person.updated', subject: personId, name: after.name, ...sides };
}

function higherOf(first: InvitationRow['role'], second: InvitationRow['role'] | null): InvitationRow['role'] {
  return second !== null && roles.indexOf(second) > roles.indexOf(first) ? second : first;
}
