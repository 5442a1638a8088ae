import { addToSketch, emptySketch, estimate, registers, type Sketch, uniteSketches } from './sketch.ts';

/** A set of users that can be united with others: exact while small, a sketch above. */
export type Cell = { kind: 'exact'; users: Set<number> } | { kind: 'sketch'; sketch: Sketch };

/** A stored cell is exact up to so many users: the bytes of a sketch. */
export const storedExactMax = registers / 8;
/** While a report unites cells it stays exact up to here. */
export const unitedExactMax = 250_000;

const exactMark = 1;
const sketchMark = 2;
const userBytes = 8;

export function emptyCell(): Cell {
  return { kind: 'exact', users: new Set() };
}

/** Adds one user; the cell returned replaces the one given. */
export function addUser(cell: Cell, user: number, exactMax: number): Cell {
  if (cell.kind === 'sketch') addToSketch(cell.sketch, user);
  else {
    cell.users.add(user);
    if (cell.users.size > exactMax) return toSketch(cell.users);
  }
  return cell;
}

/** Adds all users of the other; the cell returned replaces the first. Uniting again, or in another order, gives the same set. */
export function unite(cell: Cell, other: Cell, exactMax: number): Cell {
  if (other.kind === 'exact') {
    let united = cell;
    for (const user of other.users) united = addUser(united, user, exactMax);
    return united;
  }
  const sketch = cell.kind === 'sketch' ? cell.sketch : sketchOf(cell.users);
  uniteSketches(sketch, other.sketch);
  return { kind: 'sketch', sketch };
}

/** How many users; exact for an exact cell. */
export function sizeOf(cell: Cell): number {
  return cell.kind === 'exact' ? cell.users.size : estimate(cell.sketch);
}

function toSketch(users: ReadonlySet<number>): Cell {
  return { kind: 'sketch', sketch: sketchOf(users) };
}

function sketchOf(users: Iterable<number>): Sketch {
  const sketch = emptySketch();
  for (const user of users) addToSketch(sketch, user);
  return sketch;
}

/** As it is stored: a mark, then the users in order of their numbers, or the registers. Equal sets give equal bytes. */
export function encodeCell(cell: Cell): Buffer {
  if (cell.kind === 'sketch') return Buffer.concat([Buffer.from([sketchMark]), cell.sketch]);
  const users = Float64Array.from(cell.users).sort();
  const bytes = Buffer.alloc(1 + users.length * userBytes);
  bytes.writeUInt8(exactMark, 0);
  for (const [place, user] of users.entries()) bytes.writeDoubleLE(user, 1 + place * userBytes);
  return bytes;
}

export function decodeCell(bytes: Buffer): Cell {
  if (bytes[0] === sketchMark) return { kind: 'sketch', sketch: new Uint8Array(bytes.subarray(1)) };
  const users = new Set<number>();
  for (let place = 1; place < bytes.length; place += userBytes) users.add(bytes.readDoubleLE(place));
  return { kind: 'exact', users };
}
