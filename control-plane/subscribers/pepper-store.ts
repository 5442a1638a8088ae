import { createHmac, randomBytes } from 'node:crypto';
import type { Sql } from '../db/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { normalise, type SubscriberChannel } from './address.ts';

/** The keyed hash by which an address is found again on its page, since the address itself is sealed. */
export type HashAddress = (statusPageId: string, channel: SubscriberChannel, address: string) => Promise<Buffer>;

const context = 'address pepper';

/** `sql` is of a pool, not of a transaction: the key must be there for all before anything is hashed with it. */
export function createAddressHash(sql: Sql, keyring: Keyring): HashAddress {
  let pepper: Promise<string> | null = null;
  const read = () => {
    pepper ??= readPepper(sql, keyring).catch(error => {
      pepper = null;
      throw error;
    });
    return pepper;
  };
  return async (statusPageId, channel, address) =>
    createHmac('sha256', await read())
      .update(JSON.stringify([statusPageId, channel, normalise(channel, address)]))
      .digest();
}

/** Seals the pepper with the first key of the ring. */
export async function resealPepper(sql: Sql, keyring: Keyring): Promise<void> {
  const row = await sql.row<{ sealed: Buffer }>('select sealed from address_pepper for update');
  if (row === null) return;
  const sealed = keyring.seal(keyring.open(row.sealed, context), context);
  await sql.run('update address_pepper set sealed = $1', [sealed]);
}

async function readPepper(sql: Sql, keyring: Keyring): Promise<string> {
  const find = () => sql.row<{ sealed: Buffer }>('select sealed from address_pepper');
  let row = await find();
  if (row === null) {
    const made = keyring.seal(randomBytes(32).toString('base64'), context);
    await sql.run('insert into address_pepper (sealed) values ($1) on conflict do nothing', [made]);
    row = await find();
  }
  if (row === null) throw new Error('the address pepper was not stored');
  return keyring.open(row.sealed, context);
}
