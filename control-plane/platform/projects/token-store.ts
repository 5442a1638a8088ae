import type { Sql } from '../db/sql.ts';
import { type TokenRow, tokenColumns } from './store.ts';

/** Null if the project has no such token. */
export async function findToken(sql: Sql, projectId: string, id: string): Promise<TokenRow | null> {
  return sql.row<TokenRow>`
    select ${tokenColumns}
    from tokens
    where project_id = ${projectId}
      and id = ${id}`;
}
