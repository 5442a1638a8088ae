import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/**
 * Encrypts secrets that are stored in tables. `context` is authenticated: a text sealed for one row opens for no other.
 * Its first word is the purpose, of which there are few: each has a key of its own.
 */
export type Keyring = {
  seal(plain: string, context: string): Uint8Array;
  /** Decrypts. Throws if no key fits, if the context differs, or if the bytes were changed. */
  open(sealed: Uint8Array, context: string): string;
  /** Whether it has the key that sealed a text, by the text's first four bytes. */
  has(id: Uint8Array): boolean;
  /**
   * A keyed hash of a text, by which it is recognised and cannot be guessed. It changes with the first key: for what
   * lives for hours.
   */
  hash(text: string, purpose: string): string;
  /** What that hash is with each key, the first one's first: to recognise what was hashed before a rotation. */
  hashes(text: string, purpose: string): readonly string[];
};

/** How to encrypt with one of SECRETS_KEYS; the id is stored before each sealed text. */
type Key = { id: Buffer; keyOf(purpose: string): KeyObject };

const idBytes = 4;
const nonceBytes = 12;
const keyBytes = 32;
export const keyFault = 'each key in SECRETS_KEYS must be 32 bytes in base64 or hex';
const hashBytes = 16;
const cipher = 'aes-256-gcm';
const tag = { authTagLength: 16 };

/**
 * The first key encrypts, all decrypt: to rotate, add a new key in front. Each has 32 bytes, in base64 or hex. Throws
 * otherwise.
 */
export function createKeyring(secretKeys: readonly string[]): Keyring {
  const secrets = secretKeys.map(parseKey);
  const keys = secrets.map(derivedKey);
  const first = keys[0];
  if (first === undefined) throw new Error('SECRETS_KEYS contains no key');
  // Before 0.4.0 texts were sealed with the key itself.
  const opening = [...keys, ...secrets.map(originalKey)];
  const hash = ({ keyOf }: Key, text: string, purpose: string) => {
    const digest = createHmac('sha256', keyOf(purpose)).update(text).digest();
    return digest.subarray(0, hashBytes).toString('base64url');
  };
  return {
    seal: (plain, context) => seal(first, plain, context),
    open: (sealed, context) => open(opening, Buffer.from(sealed), context),
    has: id => opening.some(key => key.id.equals(id)),
    hash: (text, purpose) => hash(first, text, purpose),
    hashes: (text, purpose) => keys.map(key => hash(key, text, purpose)),
  };
}

/** Makes a random key in the format of SECRETS_KEYS. */
export function newSecretKey(): string {
  return randomBytes(keyBytes).toString('base64');
}

/** Whether a text can be one of SECRETS_KEYS. */
export function isSecretKey(text: string): boolean {
  return bytesOf(text).length === keyBytes;
}

function parseKey(text: string): Buffer {
  if (!isSecretKey(text)) throw new Error(keyFault);
  return bytesOf(text);
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
}

/** A key for each purpose, so that the many answers with random nonces do not wear out the key of the few secrets. */
function derivedKey(secret: Buffer): Key {
  const derive = (info: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `upquorum ${info}`, bytes));
  // Objects: Node takes four times as long to encrypt with the bytes of a key.
  const derived = new Map<string, KeyObject>();
  return {
    id: derive('id', idBytes),
    keyOf: purpose => {
      const key = derived.get(purpose) ?? createSecretKey(derive(`purpose ${purpose}`, keyBytes));
      derived.set(purpose, key);
      return key;
    },
  };
}

function originalKey(secret: Buffer): Key {
  const key = createSecretKey(secret);
  return { id: createHash('sha256').update(secret).digest().subarray(0, idBytes), keyOf: () => key };
}

function seal({ id, keyOf }: Key, plain: string, context: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, keyOf(purposeOf(context)), nonce, tag).setAAD(Buffer.from(context));
  const text = Buffer.concat([sealing.update(plain, 'utf8'), sealing.final()]);
  return Buffer.concat([id, nonce, sealing.getAuthTag(), text]);
}

function open(keys: readonly Key[], sealed: Buffer, context: string): string {
  const id = sealed.subarray(0, idBytes);
  const found = keys.find(candidate => candidate.id.equals(id));
  if (found === undefined) throw new Error('no key in SECRETS_KEYS can decrypt this secret');
  const tagStart = idBytes + nonceBytes;
  const textStart = tagStart + tag.authTagLength;
  const opening = createDecipheriv(cipher, found.keyOf(purposeOf(context)), sealed.subarray(idBytes, tagStart), tag)
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(tagStart, textStart));
  return Buffer.concat([opening.update(sealed.subarray(textStart)), opening.final()]).toString('utf8');
}

function purposeOf(context: string): string {
  return context.split(' ', 1)[0] ?? '';
}
