import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { chooseEdition, detectEdition, type Edition } from './edition.ts';
import { makeSeriesSql, type Series } from './series.ts';

const folder = new URL('./migrations/', import.meta.url);
const lockKey = 7_263_001;

type Migration = { name: string; text: string; checksum: string };

/**
 * Brings the schema up to this program's: numbered files, forward only, each once, under a lock.
 * Refuses a schema that is newer or whose files changed after they were applied.
 */
export async function migrate(options: {
  connectionString: string;
  storage: 'auto' | Edition;
  log: (line: string) => void;
}): Promise<{ edition: Edition; applied: number }> {
  const client = new pg.Client({
    connectionString: options.connectionString,
    options: '-c app.role=worker -c timezone=UTC',
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(${lockKey})`);
    await client.query(`create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null);
      create table if not exists storage_edition (edition text not null);
      create table if not exists series (name text primary key, time_column text not null, span_days integer not null)`);
    const edition = await settleEdition(client, options.storage);
    const pending = await findPending(client, await readMigrations());
    for (const migration of pending) {
      options.log(`migrating ${migration.name}`);
      await apply(client, migration, edition);
    }
    return { edition, applied: pending.length };
  } finally {
    await client.end();
  }
}

/** Names of the files not yet applied; empty when the schema is this program's. */
export async function pendingMigrations(query: (text: string) => Promise<{ name: string }[]>): Promise<string[]> {
  const applied = new Set((await query('select name from schema_migrations')).map(row => row.name));
  return (await readMigrations()).map(migration => migration.name).filter(name => !applied.has(name));
}

async function settleEdition(client: pg.Client, wanted: 'auto' | Edition): Promise<Edition> {
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
    const known = ours.get(row.name);
    if (known === undefined)
      throw new Error(`the database has migration ${row.name}, which this version does not know: run a newer version`);
    if (known.checksum !== row.checksum) throw new Error(`migration ${row.name} was changed after it was applied`);
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

/** A line `--! series TABLE COLUMN DAYS` after a `create table` marks it as a series; hypertables are made from plain tables. */
export function splitAtSeries(text: string, edition: Edition): { text: string; series: Series | null }[] {
  const lines = text.split('\n');
  const parts: { text: string; series: Series | null }[] = [];
  let held: string[] = [];
  for (const line of lines) {
    const mark = /^--! series (\w+) (\w+) (\d+)$/.exec(line);
    if (mark === null) {
      held.push(edition === 'plain' ? line : line.replace(/^\) partition by range \(\w+\);$/, ');'));
      continue;
    }
    parts.push({
      text: held.join('\n'),
      series: { name: mark[1] ?? '', column: mark[2] ?? '', spanDays: Number(mark[3]) },
    });
    held = [];
  }
  return [...parts, { text: held.join('\n'), series: null }];
}

async function makeSeries(client: pg.Client, series: Series, edition: Edition): Promise<void> {
  const statement = makeSeriesSql(series, edition);
  if (statement !== null) await client.query(statement);
  await client.query('insert into series values ($1, $2, $3)', [series.name, series.column, series.spanDays]);
}
