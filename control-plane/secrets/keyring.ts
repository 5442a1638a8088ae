import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Seals what must not be readable in a table. `context` is bound to the text: sealed for one row, it opens for no other. */
export type Keyring = {
  seal(plain: string, context: string): Uint8Array;
  /** Throws when no key fits or the bytes were changed. */
  open(sealed: Uint8Array, context: string): string;
};

type Key = { id: Buffer; key: Buffer };

const idBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

/** The first key encrypts, all decrypt: put a new one in front to rotate. Each is 32 bytes in base64 or hex. */
export function createKeyring(secretKeys: readonly string[]): Keyring {
  const keys = secretKeys.map(parseKey);
  const first = keys[0];
  if (first === undefined) throw new Error('SECRETS_KEYS names no key');
  return {
    seal: (plain, context) => seal(first, plain, context),
    open: (sealed, context) => open(keys, Buffer.from(sealed), context),
  };
}

/** A fresh key in the form SECRETS_KEYS takes. */
export function newSecretKey(): string {
  return randomBytes(32).toString('base64');
}

function parseKey(text: string): Key {
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  if (key.length !== 32) throw new Error('each key in SECRETS_KEYS must be 32 bytes in base64 or hex');
  return { id: createHash('sha256').update(key).digest().subarray(0, idBytes), key };
}

function seal({ id, key }: Key, plain: string, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([id, nonce, cipher.getAuthTag(), text]);
}

function open(keys: readonly Key[], sealed: Buffer, context: string): string {
  const id = sealed.subarray(0, idBytes);
  const found = keys.find(candidate => candidate.id.equals(id));
  if (found === undefined) throw new Error('no key in SECRETS_KEYS opens this secret');
  const tagStart = idBytes + nonceBytes;
  const decipher = createDecipheriv('aes-256-gcm', found.key, sealed.subarray(idBytes, tagStart))
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(tagStart, tagStart + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(tagStart + tagBytes)), decipher.final()]).toString('utf8');
}
