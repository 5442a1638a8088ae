import { createPools } from '#control-plane/platform/db/pool.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { openSeries, type SeriesStore } from '#control-plane/platform/db/series/series.ts';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { createLog } from '#shared/log.ts';

/** Works on the series of a database, and closes its sessions afterwards. */
export async function withSeries<Value>(
  databaseUrl: string,
  work: (sql: Sql, series: SeriesStore) => Promise<Value>,
): Promise<Value> {
  const pools = createPools(databaseUrl, createLog({ name: 'bench', level: 'silent' }));
  try {
    const sql = sqlOf(pools.background);
    const stored = await sql.row<{ edition: Edition }>`select edition from storage_edition`;
    return await work(sql, await openSeries(pools.background, sql, stored?.edition ?? 'plain'));
  } finally {
    await pools.end();
  }
}
