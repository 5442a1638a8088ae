import { identifier } from '#control-plane/platform/db/sql.ts';
import { withSql } from './control-plane.ts';

/** Every row of every table as JSON text, by table. */
export type Tables = Record<string, string[]>;

/** Reads the whole database as the operator sees it; rows are sorted, so that equal contents are equal. */
export function readTables(databaseUrl: string): Promise<Tables> {
  return withSql(databaseUrl, async sql => {
    const names = await sql.rows<{ name: string }>`
      select table_name as name
      from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'
      order by 1`;
    const tables: Tables = {};
    for (const { name } of names) {
      const rows = await sql.rows<{
        row: string;
      }>`
        select to_jsonb(r)::text as row
        from ${identifier(name)} r
        order by 1`;
      tables[name] = rows.map(({ row }) => row);
    }
    return tables;
  });
}
