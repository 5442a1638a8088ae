import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';
import { isBacked } from '../invitations/store.ts';
import type { KnownPerson } from './decide.ts';

/** Whose an account is; null if nobody's. */
export async function findKnownPerson(sql: Sql, issuer: string, subject: string): Promise<KnownPerson | null> {
  return sql.row<KnownPerson>`
    select p.id, p.state, p.operator as "isOperatorByHand",
      exists (
        select from members m
        where m.person_id = p.id and (not m.by_groups or m.direct_role is not null)
      ) as "isMember"
    from identities i
    join people p on p.id = i.person_id
    where i.issuer = ${issuer} and i.subject = ${subject}`;
}

/** Makes an account somebody's. False if it is somebody's already. */
export async function insertIdentity(
  sql: Sql,
  { personId, issuer, subject }: { personId: string; issuer: string; subject: string },
  nowMs: number,
): Promise<boolean> {
  const inserted = await sql.run`
    insert into identities (id, person_id, issuer, subject, created_at, last_used_at)
    values (${newId('idn', nowMs)}, ${personId}, ${issuer}, ${subject}, ${instant(nowMs)}, ${instant(nowMs)})
    on conflict (issuer, subject) do nothing`;
  return inserted === 1;
}

export async function deleteIdentity(sql: Sql, id: string): Promise<void> {
  await sql.run`
    delete from identities
    where id = ${id}`;
}

/** Stores what the provider says of somebody with each sign-in. */
export async function updateFromProvider(
  sql: Sql,
  personId: string,
  said: { issuer: string; subject: string; email: string | null; verified: boolean; isOperatorByGroup: boolean },
  nowMs: number,
): Promise<void> {
  await sql.run`
    update identities set last_used_at = ${instant(nowMs)}
    where issuer = ${said.issuer} and subject = ${said.subject}`;
  await sql.run`
    update people set
      email = coalesce(${said.email}, email),
      email_verified = case when ${said.email}::text is null then email_verified else ${said.verified} end,
      operator_by_provider = ${said.isOperatorByGroup},
      updated_at = ${instant(nowMs)}
    where id = ${personId}`;
}

/** The open invitations that were sent to an address. */
export async function listInvitedBy(sql: Sql, email: string, nowMs: number): Promise<{ id: string; hash: Buffer }[]> {
  return sql.rows<{ id: string; hash: Buffer }>`
    select id, hash
    from invitations
    where lower(email) = lower(${email}) and accepted_at is null and revoked_at is null
      and expires_at > ${instant(nowMs)} and ${isBacked}
    order by created_at
    limit 100`;
}

/** Two who come with the same new account wait for each other until the transaction ends. */
export async function lockAccount(sql: Sql, issuer: string, subject: string): Promise<void> {
  await sql.run`select pg_advisory_xact_lock(hashtextextended(${`account ${issuer} ${subject}`}, 0))`;
}
