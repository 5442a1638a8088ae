/**
 * Who runs a monitor in a region: the live agent with the highest weight for it (rendezvous hashing).
 * Every replica computes the same from the same rows, and when an agent goes only its share moves.
 */
export function ownerOf(monitorId: string, agentIds: readonly string[]): string | null {
  let owner: string | null = null;
  let highest = -1;
  for (const agentId of agentIds) {
    const weight = weightOf(agentId, monitorId);
    if (weight > highest || (weight === highest && owner !== null && agentId < owner)) {
      highest = weight;
      owner = agentId;
    }
  }
  return owner;
}

/** FNV-1a over both names, then the finaliser of MurmurHash3, so that close names lie far apart. */
function weightOf(agentId: string, monitorId: string): number {
  let hash = fold(fold(0x811c9dc5, agentId), monitorId);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function fold(start: number, text: string): number {
  let hash = start;
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  return hash;
}
