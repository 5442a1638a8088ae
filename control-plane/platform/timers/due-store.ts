import type { Clock } from '#shared/clock.ts';
import { wait } from '#shared/wait.ts';
import { Fragment, type Sql } from '../db/sql.ts';
import type { FindDue } from './run-when-due.ts';
import type { DueTimer } from './timers.ts';

/** The loops of a process ask by the same instants, but not in the same millisecond. */
const gatherMs = 5;

/** Asks for the conditions of all timers in one statement, and for those of several loops that ask together. */
export function dueFinder(sql: Sql, clock: Clock): FindDue {
  let gathering: { timers: DueTimer[]; answer: Promise<boolean[]> } | null = null;
  const gather = () => {
    const timers: DueTimer[] = [];
    const answer = wait(gatherMs).then(() => {
      gathering = null;
      return ask(sql, timers, clock.now());
    });
    return { timers, answer };
  };
  return async timers => {
    gathering ??= gather();
    const from = gathering.timers.push(...timers) - timers.length;
    return (await gathering.answer).slice(from, from + timers.length);
  };
}

async function ask(sql: Sql, timers: readonly DueTimer[], nowMs: number): Promise<boolean[]> {
  const conditions = timers.map(({ due }) => due(nowMs));
  const list = new Fragment(['', ...conditions.slice(1).map(() => ', '), ''], conditions);
  const row = await sql.row<{ hold: boolean[] }>`select array[${list}] as hold`;
  return row?.hold ?? [];
}
