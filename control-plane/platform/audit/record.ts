import { takeOfDay } from '../db/daily-budget-store.ts';
import type { Sql } from '../db/sql.ts';
import { shortEntry } from './cut.ts';
import { type Change, type Origin, writtenChange } from './entry.ts';
import type { HashSecret } from './sealed.ts';
import { insertEntry } from './store.ts';

/** Records a change in the transaction that makes it. False if no field differs: then nothing is written. */
export type RecordChange = (sql: Sql, origin: Origin, change: Change, nowMs: number) => Promise<boolean>;

/** What the fields of a project's entries may take in a UTC day before they are cut. */
export const auditBytesPerDay = 64 * 1024 * 1024;
/** Entries with no more fields than this are never cut, and not counted. */
const smallBytes = 1024;

/** `front` is of a pool, for the budget of the day; null without one, for the operator's own changes. */
export function createRecordChange(hash: HashSecret, front: Sql | null = null): RecordChange {
  const fits = async ({ projectId }: Origin, { before, after, also }: Change, nowMs: number): Promise<boolean> => {
    const bytes = Buffer.byteLength(JSON.stringify([before, after, also]));
    if (front === null || projectId === null || bytes <= smallBytes) return true;
    return takeOfDay(front, projectId, 'audit', bytes, { maximum: auditBytesPerDay, nowMs });
  };
  return async (sql, origin, change, nowMs) => {
    const whole = await writtenChange(origin, change, hash);
    if (whole === null) return false;
    const written = (await fits(origin, whole, nowMs)) ? whole : await writtenChange(origin, change, hash, shortEntry);
    await insertEntry(sql, origin, written ?? whole, nowMs);
    return true;
  };
}
