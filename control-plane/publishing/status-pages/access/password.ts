import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** About 60 ms and 32 MiB for each guess. */
const cost: ScryptOptions = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const saltBytes = 16;
const hashBytes = 32;

/** A hash of a password and its salt, in base64. */
export type PasswordHash = { salt: string; hash: string };

export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(saltBytes);
  return { salt: salt.toString('base64'), hash: (await derive(password, salt)).toString('base64') };
}

export async function isPassword(password: string, { salt, hash }: PasswordHash): Promise<boolean> {
  const expected = Buffer.from(hash, 'base64');
  const derived = await derive(password, Buffer.from(salt, 'base64'));
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}

// The same characters, however a keyboard composes them.
function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFC'), salt, hashBytes, cost, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  );
}
