import { newId } from '#shared/ids.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';

/** A passkey; instants in milliseconds. */
export type PasskeyRow = {
  id: string;
  person_id: string;
  credential_id: Buffer;
  public_key: Buffer;
  counter: number;
  transports: string[];
  name: string;
  synced: boolean;
  /** Whether it may be synced at all; null if it was not used since this is stored. */
  backup_eligible: boolean | null;
  created_at: number;
  last_used_at: number | null;
};

/** A passkey that is used, with what authenticators know its person by. */
export type KnownPasskey = PasskeyRow & { handle: Buffer | null };

const columns = fragment`
  id, person_id, credential_id, public_key, counter, transports, name, synced, backup_eligible, created_at,
  last_used_at`;

export type NewPasskey = {
  personId: string;
  credentialId: Uint8Array;
  publicKey: Uint8Array;
  counter: number;
  transports: readonly string[];
  name: string;
  synced: boolean;
  /** Whether it may be synced: its authenticator never says otherwise later. */
  eligible: boolean;
  /** The host that it belongs to. */
  host: string;
};

/** Null if the credential is known already. */
export async function insertPasskey(sql: Sql, passkey: NewPasskey, nowMs: number): Promise<PasskeyRow | null> {
  const { personId, credentialId, publicKey, counter, transports, name, synced, eligible, host } = passkey;
  return sql.row<PasskeyRow>`
    insert into passkeys (
      id, person_id, credential_id, public_key, counter, transports, name, synced, backup_eligible, rp_id,
      created_at, last_used_at
    )
    values (
      ${newId('pky', nowMs)}, ${personId}, ${credentialId}, ${publicKey}, ${counter}, ${transports}, ${name}, ${synced},
      ${eligible}, ${host}, ${instant(nowMs)}, ${instant(nowMs)}
    )
    on conflict (credential_id) do nothing
    returning ${columns}`;
}

/** The passkeys of a person, the oldest first. */
export async function listPasskeys(sql: Sql, personId: string): Promise<PasskeyRow[]> {
  return sql.rows<PasskeyRow>`
    select ${columns}
    from passkeys
    where person_id = ${personId}
    order by created_at, id`;
}

/** Locks the passkey until the transaction ends; null if nobody has it. */
export async function lockPasskeyOf(sql: Sql, credentialId: Uint8Array): Promise<KnownPasskey | null> {
  return sql.row<KnownPasskey>`
    select ${columns}, (select p.passkey_handle from people p where p.id = person_id) as handle
    from passkeys
    where credential_id = ${credentialId}
    for update`;
}

/** Stores that a passkey was used, and where. */
export async function usePasskey(
  sql: Sql,
  id: string,
  { counter, synced, eligible, host }: Pick<NewPasskey, 'counter' | 'synced' | 'eligible' | 'host'>,
  nowMs: number,
): Promise<void> {
  await sql.run`
    update passkeys
    set counter = ${counter},
      synced = ${synced},
      backup_eligible = ${eligible},
      rp_id = ${host},
      last_used_at = ${instant(nowMs)}
    where id = ${id}`;
}

export async function renamePasskey(sql: Sql, id: string, name: string): Promise<void> {
  await sql.run`
    update passkeys set name = ${name}
    where id = ${id}`;
}

export async function deletePasskey(sql: Sql, id: string): Promise<void> {
  await sql.run`
    delete from passkeys
    where id = ${id}`;
}

/** What authenticators know the person by: made once, the same for all their passkeys. */
export async function handleOf(sql: Sql, personId: string, made: Uint8Array): Promise<Buffer> {
  const row = await sql.row<{ passkey_handle: Buffer }>`
    update people set passkey_handle = coalesce(passkey_handle, ${made})
    where id = ${personId}
    returning passkey_handle`;
  if (row === null) throw new Error('there is no such person');
  return row.passkey_handle;
}

/** Uses a ticket. False if it was used before, on whatever replica. */
export async function takeTicket(sql: Sql, hash: Uint8Array, expiresAt: number): Promise<boolean> {
  const taken = await sql.run`
    insert into used_tickets (hash, expires_at)
    values (${hash}, ${instant(expiresAt)})
    on conflict (hash) do nothing`;
  return taken === 1;
}

/** Deletes tickets that have expired before the instant: they cannot be used again anyway. */
export async function deleteTicketsBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`delete from used_tickets where expires_at < ${instant(beforeMs)}`;
}
