import type { Sql } from '../db/sql.ts';
import { type Change, type Origin, writtenChange } from './entry.ts';
import type { HashSecret } from './sealed.ts';
import { insertEntry } from './store.ts';

/** Records a change in the transaction that makes it. False if no field differs: then nothing is written. */
export type RecordChange = (sql: Sql, origin: Origin, change: Change, nowMs: number) => Promise<boolean>;

export function createRecordChange(hash: HashSecret): RecordChange {
  return async (sql, origin, change, nowMs) => {
    const written = await writtenChange(origin, change, hash);
    if (written === null) return false;
    await insertEntry(sql, origin, written, nowMs);
    return true;
  };
}
