import type pg from 'pg';
import { readMigrations } from '../../../platform/db/schema/migration-files.ts';
import { unfinishedMark } from './copy-store.ts';

/** What db/migrate.ts and a restore make without a migration. */
const unmigrated = ['schema_migrations', 'schema_needs', 'series', 'storage_edition', unfinishedMark];

type Names = { tables: string[]; functions: string[] };

/** Deletes all tables and functions of the schema, but for those of extensions. */
export function dropEverything(client: pg.ClientBase): Promise<void> {
  return drop(client, null);
}

/** Deletes the tables and functions that our migrations make, and leaves those of others beside them. */
export async function dropOurs(client: pg.ClientBase): Promise<void> {
  const made = namesIn((await readMigrations()).map(({ text }) => text).join('\n'));
  await drop(client, { ...made, tables: [...made.tables, ...unmigrated] });
}

function namesIn(text: string): Names {
  const names = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
  return {
    tables: names(/^create (?:unlogged )?table (?:if not exists )?([a-z_]+)/gim),
    functions: names(/^create (?:or replace )?function ([a-z_]+)/gim),
  };
}

async function drop(client: pg.ClientBase, names: Names | null): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('drop table if exists %s cascade', c.oid::regclass) as statement
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace
       and c.relkind in ('r', 'p')
       and not c.relispartition
       and ($1::text[] is null or c.relname = any($1))
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     union all
     select format('drop function if exists %s cascade', p.oid::regprocedure)
     from pg_proc p
     where p.pronamespace = current_schema()::regnamespace
       and ($2::text[] is null or p.proname = any($2))
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
    [names?.tables ?? null, names?.functions ?? null],
  );
  for (const { statement } of rows) await client.query(statement);
}
