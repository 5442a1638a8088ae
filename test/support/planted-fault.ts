import { randomUUID } from 'node:crypto';
import { identifier } from '#control-plane/platform/db/sql.ts';
import { withSql } from './control-plane.ts';

export type PlantedFault = { remove(): Promise<void> };

/**
 * Makes the database refuse to insert, update or delete rows of a table in which a column has the value: what a defect
 * of ours does to one monitor, project or delivery and to no other.
 */
export async function plantFault(
  databaseUrl: string,
  { table, on, column, value }: { table: string; on: 'insert' | 'update' | 'delete'; column: string; value: string },
): Promise<PlantedFault> {
  const name = identifier(`planted_${randomUUID().replaceAll('-', '')}`);
  const row = identifier(on === 'delete' ? 'old' : 'new');
  const operation = identifier(on);
  await withSql(databaseUrl, async sql => {
    await sql.once`
      create function ${name}() returns trigger language plpgsql as $$
      begin
        if to_jsonb(${row}) ->> tg_argv[0] = tg_argv[1] then
          raise exception 'planted fault';
        end if;
        return ${row};
      end $$`;
    await sql.once`
      create trigger ${name} before ${operation} on ${identifier(table)}
      for each row execute function ${name}(${identifier(column)}, ${identifier(value)})`;
  });
  return {
    remove: () => withSql(databaseUrl, async sql => void (await sql.once`drop function ${name}() cascade`)),
  };
}
