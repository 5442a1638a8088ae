/** An id as 32 bits: FNV-1a, then the finaliser of MurmurHash3, so that close names lie far apart. */
export function foldId(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  return finalise(hash);
}

/** How much an agent wants a monitor, by their folded ids: the highest runs it. */
export function weightOf(agentHash: number, monitorHash: number): number {
  return finalise(agentHash ^ monitorHash);
}

/**
 * The place of the agent with the highest weight, of equals the first; there is at least one. A restart computes ten
 * thousand million weights for 10,000 agents and a million monitors. So four are looked at together, and the last step
 * of the hash is taken only where the upper half may decide: 1.1 ns each instead of 1.7.
 */
export function heaviest(agentHashes: Uint32Array, monitorHash: number): number {
  const { length } = agentHashes;
  const hash = (index: number) => unfinished((agentHashes[index] as number) ^ monitorHash) ^ lowest;
  let place = 0;
  let best = lowest;
  /** The lowest number with the upper half of the best one. */
  let least = lowest;
  for (let first = 0; first < length; first += 4) {
    const end = Math.min(first + 4, length);
    const isFull = end - first === 4;
    if (isFull && hash(first) < least && hash(first + 1) < least && hash(first + 2) < least && hash(first + 3) < least)
      continue;
    for (let index = first; index < end; index++) {
      const upper = hash(index);
      const weight = upper ^ ((upper ^ lowest) >>> 16);
      if (weight <= best) continue;
      place = index;
      best = weight;
      least = weight & upperHalf;
    }
  }
  return place;
}

/** Numbers whose sign bit is turned compare as if they had none. */
const lowest = -0x80000000;
const upperHalf = -0x10000;

function finalise(start: number): number {
  const hash = unfinished(start);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** All steps but the last one, which leaves the upper half as it is. */
function unfinished(start: number): number {
  let hash = start;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return Math.imul(hash, 0xc2b2ae35);
}
