import { Problem } from '../problem.ts';
import type { ProblemCode } from '../problem-codes.ts';

/** What JSON holds at most: values, and names of fields. */
export type JsonSize = { values: number; names: number };
export type JsonLimits = JsonSize;

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openList, openObject] = [0x5b, 0x7b];

/**
 * Counts commas, brackets and colons outside of texts until one of the limits is passed: JSON holds no more than that.
 * It takes a few milliseconds where parsing 5 MiB of `[],` takes a second.
 */
export function sizeOfJson(bytes: Uint8Array, limits: JsonLimits): JsonSize {
  const size = { values: 1, names: 0 };
  for (let at = 0; at < bytes.length && isWithin(size, limits); at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfText(bytes, at);
    else if (byte === comma || byte === openList || byte === openObject) size.values += 1;
    else if (byte === colon) size.names += 1;
  }
  return size;
}

/** Throws `code` if the JSON holds more than the limits; `advice` ends the sentence. */
export function requireJsonSize(size: JsonSize, limits: JsonLimits, code: ProblemCode, advice = ''): void {
  if (isWithin(size, limits)) return;
  const what = size.values > limits.values ? `${limits.values} values` : `${limits.names} fields`;
  throw new Problem(code, { detail: `the body has more than ${what}${advice}` });
}

function isWithin(size: JsonSize, limits: JsonLimits): boolean {
  return size.values <= limits.values && size.names <= limits.names;
}

/** Where the text that begins at `from` ends; the end of the bytes if it does not. */
function endOfText(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    if (bytes[at] === backslash) at += 1;
    else if (bytes[at] === quote) return at;
  }
  return bytes.length;
}
