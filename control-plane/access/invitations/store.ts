import { newId } from '#shared/ids.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { inPortions } from '../../platform/db/series/portions.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { Role } from '../../platform/projects/roles.ts';
import type { InvitationRow, Inviter } from './invitation.ts';

const columns = fragment`
  id, project_id, email, name, role, invited_by, for_operator, mail_hash is not null as mailed, created_at, sent_at,
  expires_at, accepted_at, accepted_by, revoked_at`;

const open = (nowMs: number) => fragment`accepted_at is null and revoked_at is null and expires_at > ${instant(nowMs)}`;

export type NewInvitation = {
  projectId: string;
  email: string | null;
  name: string | null;
  role: Role;
  hash: Uint8Array;
  /** Of the secret in the email; null if there is none. */
  mailHash: Uint8Array | null;
  invitedBy: Inviter;
  forOperator: boolean;
  expiresAt: number;
};

export async function insertInvitation(sql: Sql, invitation: NewInvitation, nowMs: number): Promise<InvitationRow> {
  const { projectId, email, name, role, hash, mailHash, invitedBy, forOperator, expiresAt } = invitation;
  const row = await sql.row<InvitationRow>`
    insert into invitations (
      id, project_id, email, name, role, hash, mail_hash, invited_by, for_operator, created_at, sent_at, expires_at
    )
    values (
      ${newId('inv', nowMs)}, ${projectId}, ${email}, ${name}, ${role}, ${hash}, ${mailHash},
      ${JSON.stringify(invitedBy)}, ${forOperator}, ${instant(nowMs)}, ${instant(nowMs)}, ${instant(expiresAt)}
    )
    returning ${columns}`;
  if (row === null) throw new Error('inserting gave no row');
  return row;
}

/** A page of the project's invitations, newest first. */
export async function listInvitations(sql: Sql, projectId: string, page: Page): Promise<InvitationRow[]> {
  return sql.rows<InvitationRow>`
    select ${columns}
    from invitations
    where project_id = ${projectId}
      and ${olderThan(page, fragment`created_at, id`)}
    order by created_at desc, id desc
    limit ${page.limit + 1}`;
}

/** Locks the invitation until the transaction ends; null if the project has no such one. */
export async function lockInvitation(sql: Sql, projectId: string, id: string): Promise<InvitationRow | null> {
  return sql.row<InvitationRow>`
    select ${columns}
    from invitations
    where project_id = ${projectId} and id = ${id}
    for update`;
}

/** Whoever sent it may still invite: an invitation is worth no more than its sender, at whatever moment it is used. */
export const isBacked = fragment`
  (
    invited_by->>'type' <> 'person'
    or exists (
      select from members m
      join people p on p.id = m.person_id
      where m.project_id = invitations.project_id and m.person_id = invitations.invited_by->>'id'
        and m.role = 'admin' and p.state = 'active'
    )
  )`;

export type LinkedInvitation = InvitationRow & {
  /** The address that the link proves: that of the email which it was in. Null for a link that was handed over. */
  proven_email: string | null;
  /** Whether somebody asked for the email who had another link. */
  asked: boolean;
};

const ofLink = (hash: Uint8Array, nowMs: number) => fragment`
  select ${columns}, case ${hash}::bytea when mail_hash then email when asked_hash then asked_email end as proven_email,
    asked_hash is not distinct from ${hash} as asked
  from invitations
  where (
      hash = ${hash} or mail_hash = ${hash} or (asked_hash = ${hash} and asked_until > ${instant(nowMs)})
    )
    and ${isBacked}`;

/** The invitation of a link, whatever became of it; null if there is none, or its sender may not invite any more. */
export async function findInvitationOf(sql: Sql, hash: Uint8Array, nowMs: number): Promise<LinkedInvitation | null> {
  return sql.row<LinkedInvitation>`${ofLink(hash, nowMs)}`;
}

/** The same, locked until the transaction ends. */
export async function lockInvitationOf(sql: Sql, hash: Uint8Array, nowMs: number): Promise<LinkedInvitation | null> {
  return sql.row<LinkedInvitation>`
    ${ofLink(hash, nowMs)}
    for update`;
}

/** The invitation of an email by the hash of the secret in it; null like above. */
export async function findMailedInvitation(
  sql: Sql,
  { projectId, id, hash }: { projectId: string; id: string; hash: Uint8Array },
  nowMs: number,
): Promise<LinkedInvitation | null> {
  return sql.row<LinkedInvitation>`
    ${ofLink(hash, nowMs)}
      and project_id = ${projectId} and id = ${id}`;
}

/** Gives the invitation a link that proves an address, in place of one that it may have. */
export async function askForInvitation(
  sql: Sql,
  id: string,
  asked: { email: string; hash: Uint8Array; until: number },
): Promise<void> {
  await sql.run`
    update invitations set
      asked_email = ${asked.email}, asked_hash = ${asked.hash}, asked_until = ${instant(asked.until)}
    where id = ${id}`;
}

/** The open invitation to an address; null if there is none. */
export async function findOpenOf(
  sql: Sql,
  projectId: string,
  email: string,
  nowMs: number,
): Promise<InvitationRow | null> {
  return sql.row<InvitationRow>`
    select ${columns}
    from invitations
    where project_id = ${projectId} and lower(email) = lower(${email}) and ${open(nowMs)}`;
}

/** Gives the invitation other links, whose time begins now. */
export async function renewInvitation(
  sql: Sql,
  id: string,
  { hash, mailHash, expiresAt }: Pick<NewInvitation, 'hash' | 'mailHash' | 'expiresAt'>,
  nowMs: number,
): Promise<InvitationRow | null> {
  return sql.row<InvitationRow>`
    update invitations set
      hash = ${hash}, mail_hash = ${mailHash}, sent_at = ${instant(nowMs)}, expires_at = ${instant(expiresAt)},
      asked_email = null, asked_hash = null, asked_until = null
    where id = ${id}
    returning ${columns}`;
}

export async function acceptInvitation(sql: Sql, id: string, personId: string, nowMs: number): Promise<void> {
  await sql.run`
    update invitations set
      accepted_at = ${instant(nowMs)}, accepted_by = ${personId},
      asked_email = null, asked_hash = null, asked_until = null
    where id = ${id}`;
}

export async function revokeInvitation(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`
    update invitations set revoked_at = ${instant(nowMs)}
    where id = ${id}`;
}

/** Revokes what somebody sent for a project and nobody accepted yet. */
export async function revokeSentBy(
  sql: Sql,
  projectId: string,
  personId: string,
  nowMs: number,
): Promise<InvitationRow[]> {
  return sql.rows<InvitationRow>`
    update invitations set revoked_at = ${instant(nowMs)}
    where project_id = ${projectId} and invited_by->>'id' = ${personId} and ${open(nowMs)}
    returning ${columns}`;
}

/** Whether the project has members, and whether one of them has the address as a verified one. */
export async function lookAtMembers(
  sql: Sql,
  projectId: string,
  email: string | null,
): Promise<{ some: boolean; withEmail: boolean }> {
  const row = await sql.row<{ some: boolean; with_email: boolean }>`
    select count(*) > 0 as some,
      coalesce(bool_or(p.email_verified and lower(p.email) = lower(${email})), false) as with_email
    from members m
    join people p on p.id = m.person_id
    where m.project_id = ${projectId}`;
  return { some: row?.some === true, withEmail: row?.with_email === true };
}

/** Deletes what was sent before the instant, whatever became of it: the audit says who accepted. */
export async function deleteInvitationsBefore(sql: Sql, beforeMs: number): Promise<number> {
  return inPortions(
    limit => sql.run`
      delete from invitations
      where id in (
        select id
        from invitations
        where expires_at < ${instant(beforeMs)}
        limit ${limit}
      )`,
  );
}
