import type { Migration } from './migration-files.ts';

/** What a database says of its schema. */
export type SchemaRecord = {
  applied: readonly { name: string; checksum: string }[];
  /** Migrations without which no program can run on this schema. */
  needed: readonly string[];
};

/** The database was changed by a newer version in a way that this program cannot work with. */
export class SchemaTooNewError extends Error {
  override name = 'SchemaTooNewError';
}

/**
 * Compares a database with the files of this program. Migrations that a newer version has added are fine unless the
 * database says that programs need them. Throws SchemaTooNewError if it does, Error if an applied file was changed.
 */
export function compareSchema(
  { applied, needed }: SchemaRecord,
  migrations: readonly Migration[],
): { pending: Migration[]; newer: string[] } {
  const ours = new Map(migrations.map(migration => [migration.name, migration]));
  for (const { name, checksum } of applied) {
    const file = ours.get(name);
    if (file !== undefined && file.checksum !== checksum)
      throw new Error(`migration ${name} was changed after it was applied: run the version that this database is from`);
  }
  const missing = needed.find(name => !ours.has(name));
  if (missing !== undefined) throw new SchemaTooNewError(tooNewSentence(missing));
  const known = new Set(applied.map(({ name }) => name));
  return {
    pending: migrations.filter(({ name }) => !known.has(name)),
    newer: applied.map(({ name }) => name).filter(name => !ours.has(name)),
  };
}

/** What to do about a schema that needs a migration which this program does not have. */
export function tooNewSentence(missing: string): string {
  return (
    `this version is too old for the database, which a newer one has changed (${missing}): ` +
    'install that version here and restart'
  );
}
