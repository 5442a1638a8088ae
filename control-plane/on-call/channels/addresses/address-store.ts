import { randomUUID } from 'node:crypto';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';

/** An email address that channels of a project name. */
export type AddressRow = {
  id: string;
  project_id: string;
  sealed_address: Buffer;
  asked_at: number | null;
  confirmed_at: number | null;
};

/** Finds or adds an address of a project by its hash. `confirmed`: it need not be asked. */
export async function keepAddress(
  sql: Sql,
  keyring: Keyring,
  address: { projectId: string; text: string; hash: Buffer; confirmed: boolean },
  nowMs: number,
): Promise<AddressRow> {
  const id = randomUUID();
  const confirmedAt = instant(address.confirmed ? nowMs : null);
  const row = await sql.row<AddressRow>`
    insert into channel_addresses as a (id, project_id, address_hash, sealed_address, confirmed_at)
    values (
      ${id}, ${address.projectId}, ${address.hash}, ${sealAddress(id, address.text, keyring)},
      ${confirmedAt}::timestamptz
    )
    on conflict (project_id, address_hash) do update
    set confirmed_at = coalesce(a.confirmed_at, excluded.confirmed_at)
    returning a.id, a.project_id, a.sealed_address, a.asked_at, a.confirmed_at`;
  if (row === null) throw new Error('the address was not stored');
  return row;
}

/** Null when the project has no such address. */
export function findAddress(sql: Sql, projectId: string, id: string): Promise<AddressRow | null> {
  return sql.row<AddressRow>`
    select id, project_id, sealed_address, asked_at, confirmed_at
    from channel_addresses
    where project_id = ${projectId}
      and id = ${id}`;
}

export async function markAsked(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`
    update channel_addresses
    set asked_at = ${instant(nowMs)}
    where id = ${id}`;
}

/** False when the project has no such address. Confirming again changes nothing. */
export async function confirmAddress(sql: Sql, projectId: string, id: string, nowMs: number): Promise<boolean> {
  const count = await sql.run`
    update channel_addresses
    set confirmed_at = coalesce(confirmed_at, ${instant(nowMs)})
    where project_id = ${projectId}
      and id = ${id}`;
  return count === 1;
}

/** Deletes addresses that no channel names any more. */
export async function deleteUnusedAddresses(sql: Sql, projectId: string): Promise<void> {
  await sql.run`
    delete from channel_addresses a
    where a.project_id = ${projectId}
      and not exists (
        select 1
        from channels c
        where c.project_id = a.project_id
          and a.id = any(c.address_ids)
      )`;
}

export function sealAddress(id: string, address: string, keyring: Keyring): Uint8Array {
  return keyring.seal(address, addressContext(id));
}

export function openChannelAddress(row: Pick<AddressRow, 'id' | 'sealed_address'>, keyring: Keyring): string {
  return keyring.open(row.sealed_address, addressContext(row.id));
}

/** By the hash of the address. */
export async function isAddressConfirmed(sql: Sql, projectId: string, hash: Buffer): Promise<boolean> {
  const row = await sql.row`
    select 1
    from channel_addresses
    where project_id = ${projectId}
      and address_hash = ${hash}
      and confirmed_at is not null`;
  return row !== null;
}

function addressContext(id: string): string {
  return `channel address ${id}`;
}
