import type { Sql } from '../../../platform/db/sql.ts';

type SealedChannel = { id: string; sealed_config: Buffer; sealed_secret: Buffer | null };

export function lockChannels(sql: Sql): Promise<SealedChannel[]> {
  return sql.rows<SealedChannel>`
    select id, sealed_config, sealed_secret
    from channels
    order by id
    for update`;
}

export async function replaceSealed(
  sql: Sql,
  id: string,
  sealedConfig: Uint8Array,
  sealedSecret: Uint8Array | null,
): Promise<void> {
  await sql.run`
    update channels
    set sealed_config = ${sealedConfig}, sealed_secret = ${sealedSecret}
    where id = ${id}`;
}

export function lockAddresses(sql: Sql): Promise<{ id: string; sealed_address: Buffer }[]> {
  return sql.rows<{ id: string; sealed_address: Buffer }>`
    select id, sealed_address
    from channel_addresses
    order by id
    for update`;
}

export async function replaceAddress(sql: Sql, id: string, sealedAddress: Uint8Array): Promise<void> {
  await sql.run`
    update channel_addresses
    set sealed_address = ${sealedAddress}
    where id = ${id}`;
}
