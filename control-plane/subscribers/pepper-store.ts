import { createHmac, randomBytes } from 'node:crypto';
import type { Sql } from '../db/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { normalise, type SubscriberChannel } from './address.ts';

/**
 * The keyed hash by which an address is found again on its page, since the address is stored sealed; without a page,
 * the same on all.
 */
export type HashAddress = (statusPageId: string | null, channel: SubscriberChannel, address: string) => Promise<Buffer>;

const context = 'address pepper';

/**
 * Hashes with one key per installation, the pepper, which the first call creates. `sql` must be of a pool, not of a
 * transaction: the key has to be committed before anything is hashed with it.
 */
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
  const row = await lockPepper(sql);
  if (row === null) return;
  const sealed = keyring.seal(keyring.open(row.sealed, context), context);
  await replacePepper(sql, sealed);
}

async function readPepper(sql: Sql, keyring: Keyring): Promise<string> {
  let row = await findPepper(sql);
  if (row === null) {
    await insertPepper(sql, keyring.seal(randomBytes(32).toString('base64'), context));
    row = await findPepper(sql);
  }
  if (row === null) throw new Error('the address pepper was not stored');
  return keyring.open(row.sealed, context);
}

type PepperRow = { sealed: Buffer };

function findPepper(sql: Sql): Promise<PepperRow | null> {
  return sql.row<PepperRow>`select sealed from address_pepper`;
}

function lockPepper(sql: Sql): Promise<PepperRow | null> {
  return sql.row<PepperRow>`select sealed from address_pepper for update`;
}

/** Of several replicas that start at once, the first one's pepper stays. */
async function insertPepper(sql: Sql, sealed: Uint8Array): Promise<void> {
  await sql.run`insert into address_pepper (sealed) values (${sealed}) on conflict do nothing`;
}

async function replacePepper(sql: Sql, sealed: Uint8Array): Promise<void> {
  await sql.run`update address_pepper set sealed = ${sealed}`;
}
