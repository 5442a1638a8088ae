import { createHash, type Hash } from 'node:crypto';
import { readArchive } from './archive.ts';
import {
  endName,
  type Manifest,
  type ManifestEnd,
  manifestName,
  parseEnd,
  parseManifest,
  tableOf,
} from './manifest.ts';

/** A backup of which every byte was read. */
export type VerifiedBackup = { manifest: Manifest; end: ManifestEnd };

/** Reads a whole backup and compares every table with its checksum. Throws with a sentence if it is not whole. */
export async function verifyBackup(file: string, progress: (line: string) => void): Promise<VerifiedBackup> {
  const hashes = new Map<string, Hash>();
  let manifest: Manifest | null = null;
  let end: ManifestEnd | null = null;
  const refuse = (reason: string): never => {
    throw new Error(`${file} is not a complete backup: ${reason}`);
  };
  for await (const { name, data } of readArchive(file)) {
    const table = tableOf(name);
    try {
      if (name === manifestName) manifest = parseManifest(data);
      if (name === endName) end = parseEnd(data);
    } catch (error) {
      refuse((error as Error).message);
    }
    if (manifest === null) return refuse('it does not begin with a manifest');
    if (table === null) continue;
    const hash = hashes.get(table) ?? createHash('sha256');
    hashes.set(table, hash.update(data));
    progress(`checking ${table}`);
  }
  if (manifest === null || end === null) return refuse('its end is missing');
  for (const { name } of manifest.tables) {
    const found = (hashes.get(name) ?? createHash('sha256')).digest('hex');
    if (end.tables[name]?.sha256 !== found) refuse(`the rows of ${name} differ from their checksum`);
  }
  return { manifest, end };
}
