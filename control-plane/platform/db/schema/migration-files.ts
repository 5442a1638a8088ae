import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** A numbered SQL file. Programs that do not have a `breaking` one cannot run on the schema after it. */
export type Migration = { name: string; text: string; checksum: string; breaking: boolean };

/** Where this program's migrations are. */
export const migrationsFolder = new URL('../migrations/', import.meta.url);

/**
 * Checksums that some files had before they were edited while 0.3.0 was written: a database that applied such a text
 * is accepted, and 0055-repairs.sql makes its schema the same. No file may join this list.
 */
const earlierChecksums: Readonly<Record<string, string>> = {
  '0008-incidents.sql': 'a3aa3b4f8a950c0a2ee1883e490f761038ef44b71b0a868bb700f38e2833a911',
  '0020-events.sql': '902313b0ac0266f8472e03478f04496ad33ee8e5e267a8773b494511446eade4',
  '0022-flows.sql': '03b7648b3102f9378c5628864391dac62ec0cc97bb935d8a3478c0947e9ab41a',
};

/** The files of a folder in the order in which they are applied. */
export async function readMigrations(folder: URL = migrationsFolder): Promise<Migration[]> {
  return Promise.all(
    (await migrationNames(folder)).map(async name => {
      const text = await readFile(new URL(name, folder), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      return { name, text, checksum, breaking: /^--! not for older programs$/m.test(text) };
    }),
  );
}

/** The names of a folder's files in the order in which they are applied. */
export async function migrationNames(folder: URL = migrationsFolder): Promise<string[]> {
  return (await readdir(folder)).filter(name => name.endsWith('.sql')).sort();
}

/** Whether a database may have applied the migration with this checksum. */
export function isAccepted({ name, checksum }: Pick<Migration, 'name' | 'checksum'>, applied: string): boolean {
  return applied === checksum || applied === earlierChecksums[name];
}
