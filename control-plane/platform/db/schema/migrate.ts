import type pg from 'pg';
import { errorCode } from '#shared/error-code.ts';
import { errorMessage } from '#shared/error-message.ts';
import { chooseEdition, createExtension, detectEdition, type Edition } from '../series/edition.ts';
import { makeSeriesSql } from '../series/series.ts';
import type { Series } from '../span.ts';
import type { Sql } from '../sql.ts';
import { type Migration, migrationNames, migrationsFolder, readMigrations } from './migration-files.ts';
import { withSchemaLock } from './schema-lock.ts';
import { compareSchema, type SchemaRecord } from './schema-state.ts';

const bookkeeping = `
  create table if not exists schema_migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null
  );
  create table if not exists schema_needs (migration text primary key);
  create table if not exists storage_edition (edition text not null);
  create table if not exists series (name text primary key, time_column text not null, span_days integer not null)`;

export type MigrationOptions = {
  connectionString: string;
  storage: 'auto' | Edition;
  log: (line: string) => void;
  /** Receives what a person should do about the database; `log` unless it is given. */
  advise?: (line: string) => void;
  folder?: URL;
};

/**
 * Migrates the schema: numbered files, forward only, each once and whole, under a lock. Throws if an applied file has
 * changed or `storage` is not available, and SchemaTooNewError if the schema is for newer programs only. Returns how
 * many files were applied.
 */
export async function migrate(options: MigrationOptions): Promise<{ edition: Edition; applied: number }> {
  const { connectionString, storage, log, advise = log } = options;
  const migrated = await withSchemaLock(connectionString, async client => {
    const isTried = await createExtension(client, storage, advise);
    return isTried ? null : await migrateLocked(client, options);
  });
  return migrated ?? (await withSchemaLock(connectionString, client => migrateLocked(client, options)));
}

/** Creates TimescaleDB's extension where it is wanted, on a connection that this may end. */
export async function offerExtension(
  connectionString: string,
  storage: 'auto' | Edition,
  advise: (line: string) => void,
): Promise<void> {
  await withSchemaLock(connectionString, client => createExtension(client, storage, advise));
}

/** Part of a restore: `only` leaves out all other files, `restoring` accepts a database whose restore is under way. */
export type MigrationStep = { only: ReadonlySet<string> | null; restoring: boolean };

/** `migrate` on a connection that has the schema's lock. */
export async function migrateLocked(
  client: pg.Client,
  { storage, log, folder = migrationsFolder }: Omit<MigrationOptions, 'connectionString'>,
  { only, restoring }: MigrationStep = { only: null, restoring: false },
): Promise<{ edition: Edition; applied: number }> {
  if (!restoring) await requireRestored(client);
  await client.query(bookkeeping);
  const edition = await recordEdition(client, storage);
  const { pending, newer } = compareSchema(await readRecord(client), await readMigrations(folder));
  if (newer.length > 0) log(`the database is from a newer version, on which this one can run: it has ${newer.join()}`);
  const wanted = pending.filter(({ name }) => only?.has(name) ?? true);
  for (const migration of wanted) {
    log(`migrating ${migration.name}`);
    await apply(client, migration, edition);
  }
  return { edition, applied: wanted.length };
}

async function requireRestored(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ unfinished: boolean }>(
    "select to_regclass('unfinished_restore') is not null as unfinished",
  );
  if (rows[0]?.unfinished !== true) return;
  throw new Error('a restore into this database did not finish: run `npm run admin -- restore FILE --replace` again');
}

async function readRecord(client: pg.Client): Promise<SchemaRecord> {
  const applied = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name',
  );
  const needed = await client.query<{ migration: string }>('select migration from schema_needs order by migration');
  return { applied: applied.rows, needed: needed.rows.map(row => row.migration) };
}

/** Migrations that are not applied yet, and those that the database needs and this program does not have. */
export async function schemaGaps(sql: Sql): Promise<{ pending: string[]; missing: string[] }> {
  const ours = await migrationNames();
  const rows = await sql.rows<{ name: string; needed: boolean }>`
    select name, exists (select from schema_needs where migration = name) as needed
    from schema_migrations`;
  const applied = new Set(rows.map(row => row.name));
  return {
    pending: ours.filter(name => !applied.has(name)),
    missing: rows.filter(row => row.needed && !ours.includes(row.name)).map(row => row.name),
  };
}

async function recordEdition(client: pg.Client, wanted: 'auto' | Edition): Promise<Edition> {
  const { rows } = await client.query<{ edition: Edition }>('select edition from storage_edition');
  const recorded = rows[0]?.edition ?? null;
  const edition = chooseEdition(wanted, await detectEdition(client), recorded);
  if (recorded === null) await client.query('insert into storage_edition values ($1)', [edition]);
  else if (recorded !== edition) await client.query('update storage_edition set edition = $1', [edition]);
  return edition;
}

async function apply(client: pg.Client, migration: Migration, edition: Edition): Promise<void> {
  const record = 'insert into schema_migrations values ($1, $2, now())';
  const outside = migration.text.includes('--! outside a transaction');
  if (!outside) await client.query('begin');
  try {
    for (const part of splitAtSeries(migration.text, edition)) {
      await client.query(part.text);
      if (part.series !== null) await makeSeries(client, part.series, edition);
    }
    await client.query(record, [migration.name, migration.checksum]);
    if (migration.breaking) await client.query('insert into schema_needs values ($1)', [migration.name]);
    if (!outside) await client.query('commit');
  } catch (error) {
    if (!outside) await client.query('rollback').catch(() => {});
    throw Object.assign(new Error(`migration ${migration.name} failed: ${errorMessage(error)}`, { cause: error }), {
      code: errorCode(error),
    });
  }
}

/**
 * Splits a migration after each line `--! series TABLE COLUMN DAYS`, which marks the table above it as a series.
 * Except on plain PostgreSQL, `partition by range` is removed, because hypertables are made from ordinary tables.
 */
export function splitAtSeries(text: string, edition: Edition): { text: string; series: Series | null }[] {
  const lines = text.split('\n');
  const parts: { text: string; series: Series | null }[] = [];
  let pending: string[] = [];
  for (const line of lines) {
    const mark = /^--! series (\w+) (\w+) (\d+)$/.exec(line);
    if (mark === null) {
      pending.push(edition === 'plain' ? line : line.replace(/^\) partition by range \(\w+\);$/, ');'));
      continue;
    }
    parts.push({
      text: pending.join('\n'),
      series: { name: mark[1] ?? '', column: mark[2] ?? '', spanDays: Number(mark[3]) },
    });
    pending = [];
  }
  return [...parts, { text: pending.join('\n'), series: null }];
}

async function makeSeries(client: pg.Client, series: Series, edition: Edition): Promise<void> {
  const statement = makeSeriesSql(series, edition);
  if (statement !== null) await client.query(statement);
  await client.query('insert into series values ($1, $2, $3)', [series.name, series.column, series.spanDays]);
}
