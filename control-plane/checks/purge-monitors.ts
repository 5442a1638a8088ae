import type pg from 'pg';
import { inPortions } from '../db/portions.ts';
import { transaction } from '../db/transaction.ts';
import { deleteMonitors, listExpired } from '../monitors/deleted-store.ts';
import { deleteResultsOf } from './store.ts';

const portion = 100;

/** Deletes monitors for good that were deleted before the instant, with all their history. Returns how many. */
export function purgeMonitors(pool: pg.Pool, beforeMs: number): Promise<number> {
  const remove = (limit: number) =>
    transaction(pool, async sql => {
      const expired = await listExpired(sql, beforeMs, limit);
      if (expired.length === 0) return 0;
      await deleteResultsOf(sql, expired);
      await deleteMonitors(sql, expired);
      return expired.length;
    });
  return inPortions(remove, portion);
}
