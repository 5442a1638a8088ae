import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { chooseEdition, createExtension, detectEdition, type Edition } from './edition.ts';
import { makeSeriesSql } from './series.ts';
import { requireWorkerSession } from './session.ts';
import type { Series } from './span.ts';
import { type Sql, sqlOf } from './sql.ts';

const folder = new URL('./migrations/', import.meta.url);
const lockKey = 7_263_001;

const bookkeeping = `
  create table if not exists schema_migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null
  );
  create table if not exists storage_edition (edition text not null);
  create table if not exists series (name text primary key, time_column text not null, span_days integer not null)`;

type Migration = { name: string; text: string; checksum: string };

/**
 * Migrates the schema: numbered files, forward only, each once, under a lock. Throws if the schema is newer than this
 * program, if an applied file has changed, or if `storage` is not available. Returns how many files were applied.
 */
export async function migrate(options: {
  connectionString: string;
  storage: 'auto' | Edition;
  log: (line: string) => void;
  /** Receives what a person should do about the database; `log` unless it is given. */
  advise?: (line: string) => void;
}): Promise<{ edition: Edition; applied: number }> {
  const { connectionString, storage, log, advise = log } = options;
  await locked(connectionString, client => createExtension(client, storage, advise));
  return await locked(connectionString, async client => {
    await client.query(bookkeeping);
    const edition = await recordEdition(client, storage);
    const pending = await findPending(client, await readMigrations());
    for (const migration of pending) {
      log(`migrating ${migration.name}`);
      await apply(client, migration, edition);
    }
    return { edition, applied: pending.length };
  });
}

/** Runs `work` on a connection of its own while no other replica migrates. */
async function locked<Result>(connectionString: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({
    connectionString,
    options: '-c app.role=worker -c timezone=UTC',
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    await requireWorkerSession(sqlOf(client));
    await client.query(`select pg_advisory_lock(${lockKey})`);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The names of files that are not applied yet; empty if the schema is up to date. */
export async function pendingMigrations(sql: Sql): Promise<string[]> {
  const rows = await sql.rows<{ name: string }>`select name from schema_migrations`;
  const applied = new Set(rows.map(row => row.name));
  return (await readMigrations()).map(migration => migration.name).filter(name => !applied.has(name));
}

async function recordEdition(client: pg.Client, wanted: 'auto' | Edition): Promise<Edition> {
  const { rows } = await client.query<{ edition: Edition }>('select edition from storage_edition');
  const recorded = rows[0]?.edition ?? null;
  const edition = chooseEdition(wanted, await detectEdition(client), recorded);
  if (recorded === null) await client.query('insert into storage_edition values ($1)', [edition]);
  else if (recorded !== edition) await client.query('update storage_edition set edition = $1', [edition]);
  return edition;
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async name => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

async function findPending(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name',
  );
  const ours = new Map(migrations.map(migration => [migration.name, migration]));
  for (const row of rows) {
    const file = ours.get(row.name);
    if (file === undefined)
      throw new Error(`the database has migration ${row.name}, which this version does not have: run a newer version`);
    if (file.checksum !== row.checksum) throw new Error(`migration ${row.name} was changed after it was applied`);
  }
  const applied = new Set(rows.map(row => row.name));
  return migrations.filter(migration => !applied.has(migration.name));
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
    if (!outside) await client.query('commit');
  } catch (error) {
    if (!outside) await client.query('rollback');
    throw new Error(`migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
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
