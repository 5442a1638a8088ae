import { newId } from '#shared/ids.ts';
import { inPortions } from '../../platform/db/series/portions.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Role } from '../../platform/projects/roles.ts';
import type { FoundToken } from './token-caller.ts';
import { personOfRow } from './token-store.ts';

/** The ways to sign in. */
export const signInMethods = ['token', 'link', 'passkey', 'oidc'] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** A session; instants in milliseconds. */
export type SessionRow = {
  id: string;
  person_id: string | null;
  token_id: string | null;
  method: SignInMethod;
  user_agent: string;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
  confirmed_at: number | null;
  ended_at: number | null;
};

/** A session with who it is of, as each request reads it in one statement. */
export type FoundSession = SessionRow & {
  token: Pick<FoundToken, 'id' | 'name' | 'project_id' | 'scopes'> | null;
  token_expires_at: number | null;
  token_revoked_at: number | null;
  /** Whose session it is; of one that began by a personal token, whose token that is. */
  person: FoundToken['person'];
  /** What the person is in the project that was asked for, or in that of their token. */
  role: Role | null;
  /** Where one signs out at the provider that it came by; null for another way in. */
  logout_url: string | null;
  has_passkey: boolean;
  has_account: boolean;
};

export type NewSession = Pick<SessionRow, 'person_id' | 'token_id' | 'method' | 'user_agent' | 'confirmed_at'> & {
  hash: Uint8Array;
  expiresAt: number;
  /** The session at the identity provider that it came by. */
  providerSid: string | null;
  /** Where one signs out there. */
  logoutUrl: string | null;
};

const columns = fragment`
  s.id, s.person_id, s.token_id, s.method, s.user_agent, s.created_at, s.last_seen_at, s.expires_at, s.confirmed_at,
  s.ended_at`;

/** Most sessions of a person, with those by their tokens, or of a service token: the oldest ends for the next. */
const sessionsMax = 50;

export async function insertSession(sql: Sql, session: NewSession, nowMs: number): Promise<SessionRow> {
  await sql.run`
    with owner as (
      select coalesce(${session.person_id}, (select person_id from tokens where id = ${session.token_id})) as id
    )
    update sessions set ended_at = ${instant(nowMs)}
    where id in (
      select s.id
      from sessions s
      cross join owner o
      where (
          s.person_id = o.id
          or s.token_id = ${session.token_id}
          or s.token_id in (select id from tokens where person_id = o.id)
        )
        and s.ended_at is null and s.expires_at > ${instant(nowMs)}
      order by s.created_at desc, s.id desc
      offset ${sessionsMax - 1}
    )`;
  const row = await sql.row<SessionRow>`
    with seen as (
      update people set last_seen_at = greatest(last_seen_at, ${instant(nowMs)})
      where id = coalesce(${session.person_id}, (select person_id from tokens where id = ${session.token_id}))
    )
    insert into sessions as s (
      id, hash, person_id, token_id, method, user_agent, created_at, last_seen_at, expires_at, confirmed_at,
      provider_sid, logout_url
    )
    values (
      ${newId('ses', nowMs)}, ${session.hash}, ${session.person_id}, ${session.token_id}, ${session.method},
      ${session.user_agent}, ${instant(nowMs)}, ${instant(nowMs)}, ${instant(session.expiresAt)},
      ${instant(session.confirmed_at)}, ${session.providerSid}, ${session.logoutUrl}
    )
    returning ${columns}`;
  if (row === null) throw new Error('inserting gave no row');
  return row;
}

/** The session of a secret, ended or not, with what its person is in a project; null if there is none. */
export async function findSessionByHash(
  sql: Sql,
  hash: Uint8Array,
  projectId: string | null,
): Promise<FoundSession | null> {
  return sql.row<FoundSession>`
    select ${columns}, s.logout_url, m.role,
      exists (select from passkeys k where k.person_id = p.id) as has_passkey,
      exists (select from identities i where i.person_id = p.id) as has_account,
      t.expires_at as token_expires_at, t.revoked_at as token_revoked_at,
      case when t.id is not null then json_build_object(
        'id', t.id, 'name', t.name, 'project_id', t.project_id, 'scopes', coalesce(t.personal_scopes, t.scopes)
      ) end as token,
      ${personOfRow} as person
    from sessions s
    left join tokens t on t.id = s.token_id
    left join people p on p.id = coalesce(s.person_id, t.person_id)
    left join members m on m.person_id = p.id and m.project_id = coalesce(t.project_id, ${projectId})
    where s.hash = ${hash}`;
}

/** Stores that a session was used, and its person seen. Called once a minute and session at most. */
export async function touchSession(sql: Sql, { id, person }: FoundSession, nowMs: number): Promise<void> {
  await sql.run`
    with seen as (
      update people set last_seen_at = greatest(last_seen_at, ${instant(nowMs)})
      where id = ${person?.id ?? null}
    )
    update sessions set last_seen_at = greatest(last_seen_at, ${instant(nowMs)})
    where id = ${id}`;
}

/** Whether a session goes on. */
export async function isOpenSession(sql: Sql, id: string, nowMs: number): Promise<boolean> {
  const row = await sql.row`
    select 1
    from sessions
    where id = ${id} and ended_at is null and expires_at > ${instant(nowMs)}`;
  return row !== null;
}

/** The person has shown that it is them. */
export async function confirmSession(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`
    update sessions set confirmed_at = ${instant(nowMs)}
    where id = ${id}`;
}

/** Ends a session. Null if it has ended before. */
export async function endSession(sql: Sql, id: string, nowMs: number): Promise<SessionRow | null> {
  return sql.row<SessionRow>`
    update sessions as s set ended_at = ${instant(nowMs)}
    where s.id = ${id} and s.ended_at is null and s.expires_at > ${instant(nowMs)}
    returning ${columns}`;
}

/** A session `s` of a person, or of one of their tokens. */
const isOf = (personId: string) => fragment`
  (s.person_id = ${personId} or s.token_id in (select id from tokens where person_id = ${personId}))`;

/** Ends the sessions of a person but one; returns those that ended. */
export async function endSessionsOf(
  sql: Sql,
  personId: string,
  exceptId: string | null,
  nowMs: number,
): Promise<SessionRow[]> {
  return sql.rows<SessionRow>`
    update sessions as s set ended_at = ${instant(nowMs)}
    where ${isOf(personId)} and s.id is distinct from ${exceptId}
      and s.ended_at is null and s.expires_at > ${instant(nowMs)}
    returning ${columns}`;
}

/**
 * Ends sessions by the identity provider: of one session there, and of a person, if none is named, all; those from
 * before 0.13.0 name none.
 */
export async function endSessionsByProvider(
  sql: Sql,
  { sid, personId }: { sid: string | null; personId: string | null },
  nowMs: number,
): Promise<(SessionRow & { person_id: string })[]> {
  return sql.rows<SessionRow & { person_id: string }>`
    update sessions as s set ended_at = ${instant(nowMs)}
    where s.method = 'oidc' and s.ended_at is null and s.expires_at > ${instant(nowMs)}
      and (s.provider_sid = ${sid} or s.person_id = ${personId} and (${sid}::text is null or s.provider_sid is null))
    returning ${columns}`;
}

/** The sessions of a person that go on, the newest first. */
export async function listSessions(sql: Sql, personId: string, nowMs: number): Promise<SessionRow[]> {
  return sql.rows<SessionRow>`
    select ${columns}
    from sessions s
    where ${isOf(personId)} and s.ended_at is null and s.expires_at > ${instant(nowMs)}
    order by s.created_at desc, s.id desc
    limit ${sessionsMax}`;
}

/** Deletes sessions that ended before the instant; returns how many. */
export async function deleteSessionsBefore(sql: Sql, beforeMs: number): Promise<number> {
  return inPortions(
    limit => sql.run`
      delete from sessions
      where id in (
        select id
        from sessions
        where least(ended_at, expires_at) < ${instant(beforeMs)}
        limit ${limit}
      )`,
  );
}

/** Ends all sessions of the installation, and all links: a backup brings nobody back. */
export async function endAllSessions(sql: Sql, nowMs: number): Promise<void> {
  await sql.run`
    update sessions set ended_at = ${instant(nowMs)}
    where ended_at is null`;
  await sql.run`
    update sign_in_links set used_at = ${instant(nowMs)}
    where used_at is null`;
  await sql.run`
    update invitations set revoked_at = ${instant(nowMs)}
    where accepted_at is null and revoked_at is null`;
}
