import { randomUUID } from 'node:crypto';
import type { Sql } from '../../platform/db/sql.ts';
import { attendanceMs } from '../monitors/heartbeats/away.ts';
import { attend } from '../monitors/heartbeats/store.ts';

/**
 * Says that this front takes signals. Where it cannot without the database, a time without the database is one in
 * which nobody took them: then its next row begins anew.
 */
export function attendancePulse(sql: Sql, outlivesDatabase: boolean): (nowMs: number) => Promise<void> {
  let [id, lastMs] = [randomUUID() as string, Number.NaN];
  return async nowMs => {
    if (!outlivesDatabase && nowMs - lastMs > attendanceMs) id = randomUUID();
    await attend(sql, id, nowMs);
    lastMs = nowMs;
  };
}
