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

function finalise(start: number): number {
  let hash = start;
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
