import type pg from 'pg';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { Manifest } from './manifest.ts';

type KeyUse = Manifest['keys'][number];

// Stored answers are gone after a day, and a request that repeats one is answered anew.
const shortLived = 'idempotency_keys';

/** Which keys each column of secrets was sealed with, and how many rows. Each sealed text begins with its key's id. */
export async function listKeys(client: pg.ClientBase): Promise<KeyUse[]> {
  const { rows: columns } = await client.query<{ name: string; expression: string }>(
    `select
       format('%s.%s', c.relname, a.attname) as name,
       format('select encode(substr(%I, 1, 4), ''hex'') as key, count(*)::int as rows from %I where %1$I is not null '
         'group by 1 order by 1', a.attname, c.relname) as expression
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = current_schema()::regnamespace
       and c.relkind in ('r', 'p')
       and not c.relispartition
       and a.atttypid = 'bytea'::regtype
       and a.attname like 'sealed%'
       and c.relname <> $1
     order by name`,
    [shortLived],
  );
  const uses: KeyUse[] = [];
  for (const { name, expression } of columns) {
    const { rows } = await client.query<{ key: string; rows: number }>(expression);
    uses.push(...rows.map(row => ({ column: name, ...row })));
  }
  return uses;
}

/** The columns with texts that a keyring has no key for, such as `webhooks.sealed_url (12)`. */
export function closedColumns(uses: readonly KeyUse[], keyring: Keyring): string[] {
  const counts = new Map<string, number>();
  for (const { column, key, rows } of uses)
    if (!keyring.has(Buffer.from(key, 'hex'))) counts.set(column, (counts.get(column) ?? 0) + rows);
  return [...counts].map(([column, rows]) => `${column} (${rows})`);
}
