import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const randomBytes = 10;
/** Drawn at once: each draw costs as much as an id. */
const poolBytes = 400 * randomBytes;

/** Prefixes of the identifiers of each kind of object. */
export type IdPrefix =
  | 'agp'
  | 'agt'
  | 'alt'
  | 'aud'
  | 'chk'
  | 'chn'
  | 'comp'
  | 'dlv'
  | 'dom'
  | 'ers'
  | 'evt'
  | 'fct'
  | 'flow'
  | 'idn'
  | 'inc'
  | 'grr'
  | 'inv'
  | 'lnk'
  | 'mno'
  | 'mnt'
  | 'mon'
  | 'ntc'
  | 'pky'
  | 'pln'
  | 'proj'
  | 'rcp'
  | 'rel'
  | 'req'
  | 'rpt'
  | 'rte'
  | 'sec'
  | 'ses'
  | 'sp'
  | 'sub'
  | 'tok'
  | 'upd'
  | 'usr'
  | 'wal'
  | 'whk';

/** A clock that is set back by more is followed, as the time of an identifier would be too far ahead. */
const setBackMs = 10_000;

/**
 * Creates an identifier: the prefix and a ULID, which is 10 characters of time (ms) and 16 of randomness in Crockford
 * base 32. Within one process each is greater than the last with its prefix, even in the same millisecond or after the
 * clock is set back by up to ten seconds.
 */
export const newId = monotonicIds();

function monotonicIds(): (prefix: IdPrefix, nowMs?: number) => string {
  const lasts = new Map<IdPrefix, { ms: number; time: string; random: Uint8Array }>();
  const draw = randomDraws();
  return (prefix, nowMs = Date.now()) => {
    let last = lasts.get(prefix);
    if (last !== undefined && nowMs <= last.ms && nowMs >= last.ms - setBackMs) increment(last.random);
    else {
      last = { ms: nowMs, time: timeText(nowMs), random: Uint8Array.from(draw()) };
      lasts.set(prefix, last);
    }
    return `${prefix}_${last.time}${base32(last.random)}`;
  };
}

function randomDraws(): () => Uint8Array {
  const pool = new Uint8Array(poolBytes);
  let start = poolBytes;
  return () => {
    if (start === poolBytes) {
      randomFillSync(pool);
      start = 0;
    }
    start += randomBytes;
    return pool.subarray(start - randomBytes, start);
  };
}

/** Adds one to a big-endian number. It wraps around, but 80 random bits do not overflow within a millisecond. */
function increment(bytes: Uint8Array): void {
  for (let index = bytes.length - 1; index >= 0; index--) {
    const next = ((bytes[index] ?? 0) + 1) & 255;
    bytes[index] = next;
    if (next !== 0) return;
  }
}

function timeText(ms: number): string {
  let text = '';
  for (let rest = ms, digit = 0; digit < 10; digit++) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** When an identifier was made, in milliseconds. It must be one by `isId`. */
export function timeOfId(id: string): number {
  let ms = 0;
  for (const digit of id.slice(-26, -16)) ms = ms * 32 + alphabet.indexOf(digit);
  return ms;
}

/** The identifier of something that has none of its own: of an instant, and of ten bytes that distinguish it. */
export function derivedId(prefix: IdPrefix, atMs: number, bytes: Uint8Array): string {
  return `${prefix}_${timeText(atMs)}${base32(bytes.subarray(0, randomBytes))}`;
}

/** True if the text has the form of an identifier with this prefix. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 27 &&
    text.startsWith(`${prefix}_`) &&
    /^[0-9a-hjkmnp-tv-z]{26}$/.test(text.slice(-26))
  );
}

/** Encodes bytes in Crockford base 32, most significant bits first; fewer than five remaining bits are dropped. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet.charAt((buffer >> bits) & 31);
    }
    buffer &= (1 << bits) - 1;
  }
  return text;
}
