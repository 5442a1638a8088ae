import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { readMigrations } from '#control-plane/platform/db/schema/migration-files.ts';

const parts: Readonly<Record<string, string>> = {
  columns: `
    select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as line
    from information_schema.columns
    where table_schema = 'public'`,
  indexes: "select indexdef as line from pg_indexes where schemaname = 'public'",
  constraints: `
    select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line
    from pg_constraint
    where connamespace = 'public'::regnamespace`,
  policies:
    "select format('%s %s %s', tablename, policyname, qual) as line from pg_policies where schemaname = 'public'",
  series: "select format('%s %s %s', name, time_column, span_days) as line from series",
  migrations: 'select name as line from schema_migrations',
  edition: 'select edition as line from storage_edition',
};

const partition = /_20\d{6}(?!\d)/;

/** Everything that migrations make in a database, as sorted lines, but partitions, which depend on the day. */
export async function schemaOf(url: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const lines: Record<string, string[]> = {};
    for (const [part, query] of Object.entries(parts))
      lines[part] = (await client.query<{ line: string }>(query)).rows
        .map(row => row.line)
        .filter(line => !partition.test(line))
        .sort();
    return lines;
  } finally {
    await client.end();
  }
}

/** A folder with our migrations, each changed by `change`, or left out for null, and with additional ones. */
export async function migrationsWith(
  change: (name: string, text: string) => string | null,
  added: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & { folder: URL }> {
  const path = await mkdtemp(join(tmpdir(), 'upquorum-migrations-'));
  const changed = (await readMigrations()).map(({ name, text }) => [name, change(name, text)] as const);
  for (const [name, text] of [...changed, ...Object.entries(added)])
    if (text !== null) await writeFile(join(path, name), text);
  return {
    folder: pathToFileURL(`${path}/`),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}
