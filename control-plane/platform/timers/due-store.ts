import type { Clock } from '#shared/clock.ts';
import { Fragment, type Sql } from '../db/sql.ts';
import type { FindDue } from './run-when-due.ts';

/** Asks for the conditions of all timers in one statement. */
export function dueFinder(sql: Sql, clock: Clock): FindDue {
  return async timers => {
    const nowMs = clock.now();
    const conditions = timers.map(({ due }) => due(nowMs));
    const list = new Fragment(['', ...conditions.slice(1).map(() => ', '), ''], conditions);
    const row = await sql.row<{ hold: boolean[] }>`select array[${list}] as hold`;
    return row?.hold ?? [];
  };
}
