import { createHash, randomInt } from 'node:crypto';
import { z } from 'zod';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 32;
const checkLength = 6;
const keyLength = 22;

export const overlapField = z
  .int()
  .min(0)
  .max(604_800)
  .default(86_400)
  .describe('How long the one before still works, in seconds.');

/** A new secret of a heartbeat's address: by its checksum scanners for secrets and typing errors are told apart. */
export function newSecret(): string {
  const random = randomText(randomLength);
  return `uph_${random}${checksumOf(random)}`;
}

/** A new key of a project for the slugs of its heartbeats. */
export function newSignalKey(): string {
  return `usk_${randomText(keyLength)}`;
}

/** What secrets, keys and aliases are found by. */
export function hashAddress(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function checksumOf(text: string): string {
  let number = createHash('sha256').update(text).digest().readUIntBE(0, 6);
  let check = '';
  for (let digit = 0; digit < checkLength; digit++) {
    check += alphabet[number % alphabet.length];
    number = Math.floor(number / alphabet.length);
  }
  return check;
}
