import { createHash, randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 32;
const checksumLength = 6;

/** `upq` for API tokens, `upa` agents, `upw` walls, `ups` sessions, `upi` invitations and sign-in links,
 * `upv` links to private pages, `upf` their feeds. */
export type BearerPrefix = 'upq' | 'upa' | 'upw' | 'ups' | 'upi' | 'upv' | 'upf';

/**
 * Makes a secret: prefix, 32 random base-62 characters (190 bits), and a checksum that finds typos without the
 * database.
 */
export function newBearer(prefix: BearerPrefix): string {
  return formatBearer(prefix, () => randomInt(alphabet.length));
}

/** Makes the same secret from the same bytes: at least 32, each as unpredictable as the secret is to be. */
export function bearerOf(prefix: BearerPrefix, bytes: Uint8Array): string {
  if (bytes.length < randomLength) throw new Error(`a secret needs ${randomLength} bytes`);
  // 256 is no multiple of 62: some characters are more likely than others, which costs two of 190 bits.
  return formatBearer(prefix, index => (bytes[index] ?? 0) % alphabet.length);
}

function formatBearer(prefix: BearerPrefix, character: (index: number) => number): string {
  const random = Array.from({ length: randomLength }, (_, index) => alphabet.charAt(character(index))).join('');
  return `${prefix}_${random}${checksum(random)}`;
}

/** Whether a text is a well-formed secret of this prefix. Says nothing about whether it is valid. */
export function isBearer(prefix: BearerPrefix, text: string): boolean {
  const match = /^(up[qawsivf])_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(text);
  return match?.[1] === prefix && match[2] !== undefined && checksum(match[2]) === match[3];
}

/** The hash that is stored instead of a secret. With 190 random bits, one round of SHA-256 is enough. */
export function hashBearer(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function checksum(random: string): string {
  let value = createHash('sha256').update(random).digest().readUIntBE(0, 6);
  let text = '';
  for (let index = 0; index < checksumLength; index++) {
    text += alphabet.charAt(value % alphabet.length);
    value = Math.floor(value / alphabet.length);
  }
  return text;
}
