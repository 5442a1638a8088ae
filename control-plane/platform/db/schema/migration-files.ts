import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** A numbered SQL file. Programs that do not have a `breaking` one cannot run on the schema after it. */
export type Migration = { name: string; text: string; checksum: string; breaking: boolean };

/** Where this program's migrations are. */
export const migrationsFolder = new URL('../migrations/', import.meta.url);

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
