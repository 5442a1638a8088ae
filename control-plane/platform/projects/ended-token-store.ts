import { inPortions } from '../db/series/portions.ts';
import { instant, type Sql } from '../db/sql.ts';

/**
 * Deletes tokens that were revoked or expired before the instant. One that made others stays until those are deleted:
 * they ended no later, and a later run takes it. Returns how many.
 */
export function purgeTokens(sql: Sql, beforeMs: number): Promise<number> {
  return inPortions(
    limit => sql.run`
      delete from tokens
      where id in (
        select t.id
        from tokens t
        where least(t.revoked_at, t.expires_at) < ${instant(beforeMs)}
          and (t.revoked_at is not null or t.expires_at is not null)
          and not exists (select from tokens made where made.created_by = t.id)
        order by least(t.revoked_at, t.expires_at)
        limit ${limit}
        for update skip locked
      )`,
  );
}
