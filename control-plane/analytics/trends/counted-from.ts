import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { findStart } from '../cells/queue-store.ts';
import { limits } from '../events/event.ts';

/** From when on all events are in cells: later while days of before the upgrade wait for it. Null: from the first. */
export async function findCountedFrom(sql: Sql, projectId: string, nowMs: number): Promise<number | null> {
  const { completeFrom, waitingDay } = await findStart(sql, projectId, nowMs);
  const waits = waitingDay === null ? null : waitingDay + dayMs + limits.aheadMs;
  const known = [completeFrom, waits].filter(ms => ms !== null);
  return known.length === 0 ? null : Math.max(...known);
}
