import { randomBytes } from 'node:crypto';
import type { Sql } from '../db/sql.ts';
import type { Keyring } from './keyring.ts';

/** The key of an installation's keyed hashes, which outlives the keys of SECRETS_KEYS. */
export type Pepper = () => Promise<string>;

const context = 'address pepper';

/**
 * Reads the pepper once; the first call of an installation creates it. `sql` must be of a pool, not of a transaction:
 * the key has to be committed before anything is hashed with it.
 */
export function createPepper(sql: Sql, keyring: Keyring): Pepper {
  let pepper: Promise<string> | null = null;
  return () => {
    pepper ??= readPepper(sql, keyring).catch(error => {
      pepper = null;
      throw error;
    });
    return pepper;
  };
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
