import type { Readable, Writable } from 'node:stream';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { listKeys } from './key-store.ts';
import type { Manifest } from './manifest.ts';

// Names come from the catalogue or from a verified backup, and are quoted by the database or checked here.

export type Table = Manifest['tables'][number];

/** What belongs to a database, or to one moment of it, instead of to its data. */
const left = [
  'schema_migrations',
  'schema_needs',
  'storage_edition',
  'series',
  'leases',
  'sending_hold',
  // How the SMTP server behaves now: a migration makes its one row.
  'email_relay',
];
export const unfinishedMark = 'unfinished_restore';

/**
 * All tables with data and their columns. Columns of transaction numbers are left out: they mean nothing on another
 * server, and restored rows take the restore's.
 */
export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = current_schema()::regnamespace
       and c.relkind in ('r', 'p')
       and not c.relispartition
       and c.relpersistence = 'p'
       and a.atttypid <> 'xid8'::regtype
       and c.relname <> all($1)
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     group by c.relname
     order by c.relname`,
    [[...left, unfinishedMark]],
  );
  return rows;
}

/** The foreign keys between tables. */
export async function listReferences(client: pg.ClientBase): Promise<{ from: string; to: string }[]> {
  const { rows } = await client.query<{ from: string; to: string }>(
    `select f.relname as "from", t.relname as "to"
     from pg_constraint k
     join pg_class f on f.oid = k.conrelid
     join pg_class t on t.oid = k.confrelid
     where k.contype = 'f'
       and k.connamespace = current_schema()::regnamespace`,
  );
  return rows;
}

/** Begins a read-only snapshot. Until its end nobody can change or drop these tables; rows can be written. */
export async function beginSnapshot(client: pg.ClientBase): Promise<void> {
  await client.query('begin transaction isolation level repeatable read, read only');
  const tables = await listTables(client);
  await client.query(`lock table ${tables.map(({ name }) => quote(name)).join(', ')} in access share mode`);
}

/** What a manifest says of the database, but for the tables. */
export async function describeDatabase(
  client: pg.ClientBase,
): Promise<Omit<Manifest, 'format' | 'version' | 'tables'>> {
  const { rows: about } = await client.query<Pick<Manifest, 'migrations' | 'edition' | 'taken_at'>>(
    `select
       (select array_agg(name order by name) from schema_migrations) as migrations,
       (select edition from storage_edition) as edition,
       to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as taken_at`,
  );
  const first = about[0];
  if (first === undefined) throw new Error('the database does not answer');
  const sequences = await client.query<{ name: string; value: string }>(
    `select sequencename as name, last_value as value
     from pg_sequences
     where schemaname = current_schema() and last_value is not null
     order by sequencename`,
  );
  return {
    ...first,
    sequences: sequences.rows.map(({ name, value }) => ({ name, value: Number(value) })),
    series: await describeSeries(client),
    keys: await listKeys(client),
  };
}

async function describeSeries(client: pg.ClientBase): Promise<Manifest['series']> {
  const { rows } = await client.query<{ name: string; time_column: string }>('select name, time_column from series');
  const spans: Manifest['series'] = [];
  for (const { name, time_column: column } of rows) {
    const format = (bound: string) => `to_char(${bound} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    const range = await client.query<{ from: string | null; to: string | null }>(
      `select ${format(`min(${quote(column)})`)} as "from", ${format(`max(${quote(column)})`)} as "to"
       from ${quote(name)}`,
    );
    const { from = null, to = null } = range.rows[0] ?? {};
    if (from !== null && to !== null) spans.push({ name, from, to });
  }
  return spans;
}

/** The rows of a table in PostgreSQL's text format, one a line. Tables kept in spans are read through a query. */
export function readRows(client: pg.ClientBase, { name, columns }: Table): Readable {
  return client.query(copyTo(`copy (select ${columns.map(quote).join(', ')} from ${quote(name)}) to stdout`));
}

/** Takes rows in that format; `rowCount` says afterwards how many. */
export function writeRows(client: pg.ClientBase, { name, columns }: Table): Writable & { rowCount: number } {
  return client.query(copyFrom(`copy ${quote(name)} (${columns.map(quote).join(', ')}) from stdin`));
}

/** COPY cannot write to tables with row security: lifts it for their owner and restores it, in one transaction. */
export async function withoutRowSecurity(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name
     from pg_class
     where relnamespace = current_schema()::regnamespace and relforcerowsecurity and relkind in ('r', 'p')
     order by relname`,
  );
  const alter = (verb: string) =>
    rows.map(({ name }) => `alter table ${quote(name)} ${verb} row level security`).join('; ');
  await client.query(alter('no force'));
  await work();
  await client.query(alter('force'));
}

export async function setSequences(client: pg.ClientBase, sequences: Manifest['sequences']): Promise<void> {
  for (const { name, value } of sequences)
    await client.query('select setval(format($1, current_schema(), $2::text)::regclass, $3)', ['%I.%I', name, value]);
}

function quote(name: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new Error(`"${name}" is not a name of our schema`);
  return `"${name}"`;
}
