import type { Sql } from '../../platform/db/sql.ts';

const hostsMax = 10;

/** How many passkeys there are of each host; null: of those that were last used before it was stored. */
export async function countPasskeysByHost(sql: Sql): Promise<{ host: string | null; count: number }[]> {
  return sql.rows`
    select rp_id as host, count(*)::integer as count
    from passkeys
    group by rp_id
    order by count desc, rp_id
    limit ${hostsMax}`;
}
