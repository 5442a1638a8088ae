import type { Change, Effect } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { lockProjects } from '../../platform/projects/store.ts';
import { hashBearer, newBearer } from '../../platform/secrets/bearer.ts';
import { joinUrl } from '../invitations/invitation.ts';
import { endInvitations } from '../members/remove.ts';
import { listProjectIdsOf } from '../members/store.ts';
import { endVisits, type MembersChanged } from '../members/visits.ts';
import { endSessionsOf } from '../sessions/store.ts';
import { revokePersonalTokens } from '../tokens/revoke.ts';
import { auditPerson, type PersonRow } from './person.ts';
import { erasePerson, hasOtherOperator, insertLink, lockPerson, updatePerson } from './store.ts';

/** For how long a link of an operator works. */
const linkHours = 24;
const hourMs = 3_600_000;

/**
 * Changes what an operator decides of a person. Who is deactivated is signed out everywhere, has no token any more, and
 * has invited nobody: `alsoIn` says which, by project. Throws `not_found`, or `last_admin` for the last operator.
 */
export async function changePerson(
  sql: Sql,
  id: string,
  change: { operator?: boolean | undefined; state?: 'active' | 'deactivated' | undefined },
  membersChanged: MembersChanged,
  nowMs: number,
): Promise<{ row: PersonRow; change: Change; alsoIn: ReadonlyMap<string, Effect[]> }> {
  const before = await lockLiving(sql, id);
  const isOperator = (row: PersonRow) => row.operator && row.state === 'active';
  const after = await updatePerson(sql, id, change, nowMs);
  if (after === null) throw new Problem('not_found');
  if (isOperator(before) && !isOperator(after) && !(await hasOtherOperator(sql, id))) throw new Problem('last_admin');
  const isOut = after.state === 'deactivated';
  if (isOut) await endSessionsOf(sql, id, null, nowMs);
  if (after.state !== before.state) await endVisits(sql, { personId: id, resting: isOut }, membersChanged, nowMs);
  const alsoIn = isOut ? await endRights(sql, id, nowMs) : new Map();
  const sides = { before: auditPerson(before), after: auditPerson(after) };
  return { row: after, change: { action: 'person.updated', subject: id, name: after.name, ...sides }, alsoIn };
}

/** Leaves of a person only the id. Throws `not_found`, or `last_admin` for the last operator. */
export async function eraseOne(
  sql: Sql,
  id: string,
  membersChanged: MembersChanged,
  nowMs: number,
): Promise<{ change: Change; alsoIn: ReadonlyMap<string, Effect[]> }> {
  const before = await lockLiving(sql, id);
  const isOperator = before.operator && before.state === 'active';
  if (isOperator && !(await hasOtherOperator(sql, id))) throw new Problem('last_admin');
  const projectIds = await listProjectIdsOf(sql, id);
  await lockProjects(sql, projectIds);
  const alsoIn = await endRights(sql, id, nowMs);
  await erasePerson(sql, id, nowMs);
  await membersChanged(sql, projectIds, nowMs);
  // The entry must not keep what was to be erased.
  const sides = { before: { state: before.state }, after: null };
  return { change: { action: 'person.erased', subject: id, name: null, ...sides }, alsoIn };
}

/** Revokes tokens and open invitations: by one that they sent themselves, who is out would be back. */
async function endRights(sql: Sql, personId: string, nowMs: number): Promise<ReadonlyMap<string, Effect[]>> {
  const effects = new Map(await revokePersonalTokens(sql, { personId, projectId: null }, nowMs));
  for (const projectId of await listProjectIdsOf(sql, personId)) {
    const ended = await endInvitations(sql, { projectId, personId }, nowMs);
    if (ended.length > 0) effects.set(projectId, [...(effects.get(projectId) ?? []), ...ended]);
  }
  return effects;
}

/** Makes a link with which the person signs in once, within a day. Throws `not_found`. */
export async function createLink(
  sql: Sql,
  id: string,
  baseUrl: string,
  nowMs: number,
): Promise<{ url: string; expiresAt: number; change: Change }> {
  const person = await lockLiving(sql, id);
  if (person.state !== 'active') throw new Problem('not_found', { detail: 'the person is deactivated' });
  const secret = newBearer('upi');
  const expiresAt = nowMs + linkHours * hourMs;
  await insertLink(sql, { personId: id, hash: hashBearer(secret), expiresAt }, nowMs);
  const after = { expires_at: new Date(expiresAt).toISOString() };
  const change: Change = { action: 'sign_in_link.created', subject: id, name: person.name, before: null, after };
  return { url: joinUrl(baseUrl, secret), expiresAt, change };
}

async function lockLiving(sql: Sql, id: string): Promise<PersonRow> {
  const person = await lockPerson(sql, id);
  if (person === null || person.state === 'erased') throw new Problem('not_found');
  return person;
}
