import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const randomBytes = 10;

/** Prefixes of the identifiers the product hands out. */
export type IdPrefix =
  | 'agt'
  | 'alt'
  | 'aud'
  | 'chk'
  | 'comp'
  | 'dlv'
  | 'evt'
  | 'fct'
  | 'flow'
  | 'inc'
  | 'mon'
  | 'proj'
  | 'rcp'
  | 'rel'
  | 'req'
  | 'sp'
  | 'sub'
  | 'tok'
  | 'upd'
  | 'whk';

/**
 * A new identifier: prefix, 10 characters of time (ms) and 16 of randomness in Crockford base 32, as a ULID. Within one
 * process each is greater than the one before, also in the same millisecond or after a clock was set back.
 */
export const newId = monotonicIds();

function monotonicIds(): (prefix: IdPrefix, nowMs?: number) => string {
  let lastMs = 0;
  const random = new Uint8Array(randomBytes);
  return (prefix, nowMs = Date.now()) => {
    if (nowMs > lastMs) {
      lastMs = nowMs;
      randomFillSync(random);
    } else increment(random);
    return `${prefix}_${timeText(lastMs)}${base32(random)}`;
  };
}

/** Adds one to a number of many bytes; after the last it starts again, which 80 bits do not see in a millisecond. */
function increment(bytes: Uint8Array): void {
  for (let place = bytes.length - 1; place >= 0; place--) {
    const next = ((bytes[place] ?? 0) + 1) & 255;
    bytes[place] = next;
    if (next !== 0) return;
  }
}

function timeText(ms: number): string {
  let text = '';
  for (let left = ms, place = 0; place < 10; place++) {
    text = alphabet.charAt(left % 32) + text;
    left = Math.floor(left / 32);
  }
  return text;
}

/** True for text of the shape `newId` makes with this prefix. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 27 &&
    text.startsWith(`${prefix}_`) &&
    /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(-26))
  );
}

/** Crockford base 32 of whole groups of five bits, most significant first. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet.charAt((held >> bits) & 31);
    }
    held &= (1 << bits) - 1;
  }
  return text;
}
