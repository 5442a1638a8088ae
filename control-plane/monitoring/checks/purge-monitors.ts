import type pg from 'pg';
import { inPortions } from '../../platform/db/series/portions.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { attemptAll, transactionByItem } from '../../platform/failures/by-item.ts';
import { deleteMonitors, listExpired } from '../monitors/deleted-store.ts';
import { deleteFailuresOf } from './roll-up/failure-store.ts';
import { deleteHoursOf } from './roll-up/hourly-store.ts';
import { deleteDays } from './roll-up/tally-store.ts';
import { deleteTotalsOf } from './roll-up/total-store.ts';
import { deleteRowsOf } from './storage/store.ts';

const portion = 100;

/**
 * Deletes monitors for good that were deleted before the instant, with all their history. Those that cannot be deleted
 * are left out for a while. Returns how many.
 */
export function purgeMonitors(pool: pg.Pool, beforeMs: number, nowMs: number): Promise<number> {
  const itemOf = (id: string) => ({ work: 'retention', id, projectId: null, nowMs }) as const;
  const remove = (limit: number) =>
    transactionByItem(pool, async sql => {
      const expired = await listExpired(sql, beforeMs, limit, nowMs);
      await attemptAll(sql, expired, itemOf, async ids => {
        await deleteResultsOf(sql, ids);
        await deleteMonitors(sql, ids);
      });
      return expired.length;
    });
  return inPortions(remove, portion);
}

/** Deletes the results of whole monitors, and what they were rolled up to. */
export async function deleteResultsOf(sql: Sql, monitorIds: readonly string[]): Promise<void> {
  await deleteRowsOf(sql, monitorIds);
  await deleteHoursOf(sql, monitorIds);
  await deleteDays(sql, monitorIds);
  await deleteTotalsOf(sql, monitorIds);
  await deleteFailuresOf(sql, monitorIds);
}
