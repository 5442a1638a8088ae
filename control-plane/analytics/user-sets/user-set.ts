import { addToSketch, emptySketch, estimate, mergeSketches, registers, type Sketch } from './sketch.ts';

/** A set of users that can be merged with others: exact while small, a sketch above. */
export type UserSet = { kind: 'exact'; users: Set<number> } | { kind: 'sketch'; sketch: Sketch };

/** Stored sets are exact up to this many users: then they take the bytes of a sketch. */
export const storedExactMax = registers / 8;
/** Sets that a report merges in memory are exact up to this many users. */
export const mergedExactMax = 250_000;

const exactMark = 1;
const sketchMark = 2;
const userBytes = 8;

export function emptySet(): UserSet {
  return { kind: 'exact', users: new Set() };
}

/** Adds one user to the set, in place where it can; the set returned replaces the one given. */
export function addUser(set: UserSet, user: number, exactMax: number): UserSet {
  if (set.kind === 'sketch') addToSketch(set.sketch, user);
  else {
    set.users.add(user);
    if (set.users.size > exactMax) return { kind: 'sketch', sketch: sketchOf(set.users) };
  }
  return set;
}

/**
 * Adds all users of `other`; the set returned replaces the first. Merging in another order, or again, gives the same
 * set.
 */
export function mergeSets(set: UserSet, other: UserSet, exactMax: number): UserSet {
  if (other.kind === 'exact') {
    let merged = set;
    for (const user of other.users) merged = addUser(merged, user, exactMax);
    return merged;
  }
  if (set.kind === 'exact' && set.users.size === 0) return { kind: 'sketch', sketch: other.sketch.slice() };
  const sketch = set.kind === 'sketch' ? set.sketch : sketchOf(set.users);
  mergeSketches(sketch, other.sketch);
  return { kind: 'sketch', sketch };
}

/** The number of users: exact for an exact set, else an estimate. */
export function sizeOf(set: UserSet): number {
  return set.kind === 'exact' ? set.users.size : estimate(set.sketch);
}

function sketchOf(users: Iterable<number>): Sketch {
  const sketch = emptySketch();
  for (const user of users) addToSketch(sketch, user);
  return sketch;
}

/** Stored form: a mark, then the users in ascending order or the registers. Equal sets give equal bytes. */
export function encodeSet(set: UserSet): Buffer {
  if (set.kind === 'sketch') return Buffer.concat([Buffer.from([sketchMark]), set.sketch]);
  const users = Float64Array.from(set.users).sort();
  const bytes = Buffer.alloc(1 + users.length * userBytes);
  bytes.writeUInt8(exactMark, 0);
  for (const [index, user] of users.entries()) bytes.writeDoubleLE(user, 1 + index * userBytes);
  return bytes;
}

/** A sketch takes the memory of the bytes, which are the caller's no more. */
export function decodeSet(bytes: Buffer): UserSet {
  if (bytes[0] === sketchMark)
    return { kind: 'sketch', sketch: new Uint8Array(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1) };
  const users = new Set<number>();
  for (let at = 1; at < bytes.length; at += userBytes) users.add(bytes.readDoubleLE(at));
  return { kind: 'exact', users };
}
