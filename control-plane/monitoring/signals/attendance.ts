import { randomUUID } from 'node:crypto';
import { secondMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { attendanceMs } from '../monitors/heartbeats/away.ts';
import { attend } from '../monitors/heartbeats/store.ts';

/** A front whose signals wait for longer to be stored takes none. */
const waitingMaxMs = 2 * secondMs;

/**
 * Says that this front takes signals, and how long the oldest one waits. After a time in which it did not, its row
 * begins anew. A time without the database is such a time, unless signals are taken without it.
 */
export function attendancePulse(
  sql: Sql,
  outlivesDatabase: boolean,
): (nowMs: number, waitingMs: number) => Promise<void> {
  let [id, lastMs] = [randomUUID() as string, Number.NaN];
  return async (nowMs, waitingMs) => {
    if (waitingMs > waitingMaxMs) return;
    if (nowMs - lastMs > attendanceMs) id = randomUUID();
    if (outlivesDatabase) lastMs = nowMs;
    await attend(sql, id, nowMs);
    lastMs = nowMs;
  };
}
