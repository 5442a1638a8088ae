import { newId } from '#shared/ids.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { inPortions } from '../../platform/db/series/portions.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { PersonRow, Preferences } from './person.ts';

const columns = fragment`
  id, name, email, email_verified, operator or operator_by_provider or operator_by_list as operator, state,
  preferences, last_seen_at, created_at,
  (select count(*)::int from passkeys k where k.person_id = people.id) as passkeys,
  coalesce(
    (
      select json_agg(
        json_build_object(
          'id', i.id, 'issuer', i.issuer,
          'created_at', extract(epoch from i.created_at) * 1000,
          'last_used_at', extract(epoch from i.last_used_at) * 1000
        )
        order by i.created_at, i.id
      )
      from identities i
      where i.person_id = people.id
    ),
    '[]'
  ) as identities`;

export type NewPerson = { name: string; email: string | null; operator: boolean };

export async function insertPerson(sql: Sql, { name, email, operator }: NewPerson, nowMs: number): Promise<PersonRow> {
  const row = await sql.row<PersonRow>`
    insert into people (id, name, email, operator, created_at, updated_at)
    values (${newId('usr', nowMs)}, ${name}, ${email}, ${operator}, ${instant(nowMs)}, ${instant(nowMs)})
    returning ${columns}`;
  if (row === null) throw new Error('inserting gave no row');
  return row;
}

/** Null if there is no such person. */
export async function findPerson(sql: Sql, id: string): Promise<PersonRow | null> {
  return sql.row<PersonRow>`
    select ${columns}
    from people
    where id = ${id}`;
}

/** Locks the person until the transaction ends; null if there is none. */
export async function lockPerson(sql: Sql, id: string): Promise<PersonRow | null> {
  return sql.row<PersonRow>`
    select ${columns}
    from people
    where id = ${id}
    for no key update`;
}

type PersonFilter = { q: string | null; state: string | null };

/** A page of all people, the newest first. */
export async function listPeople(sql: Sql, { q, state }: PersonFilter, page: Page): Promise<PersonRow[]> {
  return sql.rows<PersonRow>`
    select ${columns}
    from people
    where (${state}::text is null or state = ${state})
      and (
        ${q}::text is null
        or position(lower(${q}) in lower(name)) > 0
        or position(lower(${q}) in lower(email)) > 0
      )
      and ${olderThan(page, fragment`created_at, id`)}
    order by created_at desc, id desc
    limit ${page.limit + 1}`;
}

/** Those with an address, in any letters: several people may have the same. */
export async function listPeopleByEmail(sql: Sql, email: string): Promise<PersonRow[]> {
  return sql.rows<PersonRow>`
    select ${columns}
    from people
    where lower(email) = lower(${email}) and state <> 'erased'
    order by id
    limit 10`;
}

/** Most people who are sent links by one address. */
const sharersMax = 3;

/** Those who are active and have shown that the address is theirs, who were here last first. */
export async function listVerified(sql: Sql, email: string): Promise<PersonRow[]> {
  return sql.rows<PersonRow>`
    select ${columns}
    from people
    where lower(email) = lower(${email}) and email_verified and state = 'active'
    order by last_seen_at desc nulls last, id
    limit ${sharersMax}`;
}

/** Those of these people who are active and have a verified address. */
export async function listReachable(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from people
    where id = any(${ids}) and state = 'active' and email is not null and email_verified
    order by id`;
  return rows.map(({ id }) => id);
}

type PersonChange = {
  name?: string | undefined;
  preferences?: Preferences | undefined;
  operator?: boolean | undefined;
  state?: PersonRow['state'] | undefined;
};

/** Changes the fields that are given. */
export async function updatePerson(
  sql: Sql,
  id: string,
  change: PersonChange,
  nowMs: number,
): Promise<PersonRow | null> {
  const preferences = change.preferences === undefined ? null : JSON.stringify(change.preferences);
  return sql.row<PersonRow>`
    update people set
      name = coalesce(${change.name ?? null}, name),
      preferences = coalesce(${preferences}::jsonb, preferences),
      operator = coalesce(${change.operator ?? null}::boolean, operator),
      operator_by_provider = operator_by_provider and ${change.operator ?? true}::boolean,
      operator_by_list = operator_by_list and ${change.operator ?? true}::boolean,
      state = coalesce(${change.state ?? null}, state),
      updated_at = ${instant(nowMs)}
    where id = ${id}
    returning ${columns}`;
}

/** Stores an address that a person has shown to be theirs, unless they have one already. */
export async function verifyEmail(sql: Sql, id: string, email: string, nowMs: number): Promise<void> {
  await sql.run`
    update people set email = ${email}, email_verified = true, updated_at = ${instant(nowMs)}
    where id = ${id} and (email is null or not email_verified)`;
}

/** Whether somebody else who is active runs the installation. All who do are locked: of two who step down one stays. */
export async function hasOtherOperator(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from people
    where (operator or operator_by_provider or operator_by_list) and state = 'active'
    order by id
    for no key update`;
  return rows.some(row => row.id !== id);
}

/** Whether anybody runs the installation. */
export async function hasOperator(sql: Sql): Promise<boolean> {
  const row = await sql.row`
    select 1
    from people
    where (operator or operator_by_provider or operator_by_list) and state = 'active'
    limit 1`;
  return row !== null;
}

/** Leaves of a person only the id: no name, no address, no way in, no membership. */
export async function erasePerson(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`
    update people set
      name = 'Erased person', email = null, email_verified = false, operator = false, operator_by_provider = false,
      operator_by_list = false, state = 'erased',
      preferences = '{}', last_seen_at = null, updated_at = ${instant(nowMs)}
    where id = ${id}`;
  await sql.run`delete from members where person_id = ${id}`;
  await sql.run`delete from sessions where person_id = ${id}`;
  await sql.run`delete from sign_in_links where person_id = ${id}`;
  await sql.run`delete from passkeys where person_id = ${id}`;
  await sql.run`delete from identities where person_id = ${id}`;
  await sql.run`update people set passkey_handle = null where id = ${id}`;
  await sql.run`
    update invitations set invited_by = jsonb_set(invited_by, '{name}', '"Erased person"')
    where invited_by->>'id' = ${id}`;
}

/** Most links of a person that work: what would end first ends for the next. */
const linksMax = 3;

export type LinkRow = { id: string; person_id: string; expires_at: number; used_at: number | null };

export async function insertLink(
  sql: Sql,
  link: { personId: string; hash: Uint8Array; expiresAt: number },
  nowMs: number,
): Promise<LinkRow> {
  await sql.run`
    delete from sign_in_links
    where id in (
      select id
      from sign_in_links
      where person_id = ${link.personId} and used_at is null
      order by expires_at desc, id desc
      offset ${linksMax - 1}
    )`;
  const row = await sql.row<LinkRow>`
    insert into sign_in_links (id, person_id, hash, created_at, expires_at)
    values (
      ${newId('lnk', nowMs)}, ${link.personId}, ${link.hash}, ${instant(nowMs)}, ${instant(link.expiresAt)}
    )
    returning id, person_id, expires_at, used_at`;
  if (row === null) throw new Error('inserting gave no row');
  return row;
}

/** A link that can still be used; null if there is none. */
export async function findLink(sql: Sql, hash: Uint8Array, nowMs: number): Promise<LinkRow | null> {
  return sql.row<LinkRow>`
    select id, person_id, expires_at, used_at
    from sign_in_links
    where hash = ${hash} and used_at is null and expires_at > ${instant(nowMs)}`;
}

/** Whose a link is, or was until it was used or expired; null if it is none. */
export async function findOwnerOfLink(sql: Sql, hash: Uint8Array): Promise<string | null> {
  const row = await sql.row<{ person_id: string }>`
    select person_id
    from sign_in_links
    where hash = ${hash}`;
  return row?.person_id ?? null;
}

/** Uses a link, once; null if it was used, has expired or is none. */
export async function takeLink(sql: Sql, hash: Uint8Array, nowMs: number): Promise<LinkRow | null> {
  return sql.row<LinkRow>`
    update sign_in_links set used_at = ${instant(nowMs)}
    where hash = ${hash} and used_at is null and expires_at > ${instant(nowMs)}
    returning id, person_id, expires_at, used_at`;
}

/** Deletes links that were used or expired before the instant. */
export async function deleteLinksBefore(sql: Sql, beforeMs: number): Promise<number> {
  return inPortions(
    limit => sql.run`
      delete from sign_in_links
      where id in (
        select id
        from sign_in_links
        where least(used_at, expires_at) < ${instant(beforeMs)}
        limit ${limit}
      )`,
  );
}
