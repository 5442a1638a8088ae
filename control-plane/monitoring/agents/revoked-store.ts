import { inPortions } from '../../platform/db/series/portions.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';

/** Which of these agents are revoked. */
export async function listRevoked(sql: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from agents
    where id = any(${ids}::text[]) and revoked_at is not null`;
  return rows.map(({ id }) => id);
}

/** Deletes agents of private regions that were revoked before the instant; their results are gone by then. */
export function purgeAgents(sql: Sql, beforeMs: number): Promise<number> {
  return inPortions(
    limit => sql.run`
      delete from agents
      where id in (
        select a.id
        from agents a
        join regions r on r.code = a.region
        where a.revoked_at < ${instant(beforeMs)} and r.project_id is not null
        order by a.revoked_at
        limit ${limit}
        for update of a skip locked
      )`,
  );
}
