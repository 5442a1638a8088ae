/**
 * HyperLogLog over 53-bit hashes with 2^14 registers: a set of any size in 16 KiB, merged by the larger of each
 * register. Its standard error is 1.04 / sqrt(2^14) = 0.81 %. The estimate is Ertl's improved one (2017, algorithm 6),
 * which has no bias where the classic formula changes from counting empty registers to the harmonic mean.
 */
export type Sketch = Uint8Array;

const indexBits = 14;
const restBits = 53 - indexBits;
/** Those that are in the upper half of a hash. */
const topRestBits = restBits - 32;
const high = 2 ** 32;

export const registers = 2 ** indexBits;
/** One standard deviation of the relative error. */
export const standardError = 1.04 / Math.sqrt(registers);

export function emptySketch(): Sketch {
  return new Uint8Array(registers);
}

export function addToSketch(sketch: Sketch, hash: number): void {
  addHalvesToSketch(sketch, Math.floor(hash / high), hash >>> 0);
}

/** Adds a hash by its upper 21 and its lower 32 bits: from bytes, that takes a fifth of the time. */
export function addHalvesToSketch(sketch: Sketch, top: number, bottom: number): void {
  const index = top >>> topRestBits;
  const rest = top & (2 ** topRestBits - 1);
  const zeros = rest > 0 ? Math.clz32(rest) - (32 - topRestBits) : topRestBits + Math.clz32(bottom);
  const rank = zeros + 1;
  if (rank > (sketch[index] ?? 0)) sketch[index] = rank;
}

export function mergeSketches(into: Sketch, other: Sketch): void {
  for (let index = 0; index < registers; index++) {
    const rank = other[index] ?? 0;
    if (rank > (into[index] ?? 0)) into[index] = rank;
  }
}

/** How many different hashes were added. */
export function estimate(sketch: Sketch): number {
  const counts = new Uint32Array(restBits + 2);
  // By index: an iterator takes seven times as long.
  for (let index = 0; index < sketch.length; index++) {
    const rank = sketch[index] ?? 0;
    counts[rank] = (counts[rank] ?? 0) + 1;
  }
  let z = registers * tau(1 - (counts[restBits + 1] ?? 0) / registers);
  for (let rank = restBits; rank >= 1; rank--) z = 0.5 * (z + (counts[rank] ?? 0));
  z += registers * sigma((counts[0] ?? 0) / registers);
  return Math.round(registers ** 2 / (2 * Math.LN2) / z);
}

/** Weight of the registers that are still empty. */
function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY;
  let [x, y, z] = [share, 1, share];
  for (let before = Number.NaN; z !== before; ) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}

/** Weight of the registers that are full. */
function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let [x, y, z] = [share, 1, 1 - share];
  for (let before = Number.NaN; z !== before; ) {
    x = Math.sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) ** 2 * y;
  }
  return z / 3;
}
