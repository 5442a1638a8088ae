import type { Cell } from '#control-plane/analytics/cells/cell.ts';
import { saveCells } from '#control-plane/analytics/cells/cell-store.ts';
import {
  addUser,
  emptySet,
  mergeSets,
  storedExactMax,
  type UserSet,
} from '#control-plane/analytics/user-sets/user-set.ts';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, dayOf, hourMs } from '#shared/duration.ts';
import { withSql } from '../../support/control-plane.ts';
import { historyUsers } from './history.ts';

const days = 90;
const lateEvents = 500;

/** Writes the cells that events named `paid` leave, each hour for 90 days, and of some more that come a day late. */
export async function writeCells(
  databaseUrl: string,
  projectId: string,
  eventsPerHour: number,
  nowMs: number,
): Promise<void> {
  const users = Array.from({ length: historyUsers }, () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER));
  const draw = (events: number): UserSet => {
    let set = emptySet();
    for (let event = 0; event < events; event++)
      set = addUser(set, users[Math.floor(Math.random() * users.length)] ?? 0, storedExactMax);
    return set;
  };
  await withSql(databaseUrl, async sql => {
    for (let day = 0; day < days; day++) {
      const start = dayOf(nowMs) - day * dayMs;
      const cellAt = (span: Cell['span'], at: number, lateMs: number, events: number, set: UserSet): Cell => {
        const arrivedOn = toTimestamp(start + lateMs).slice(0, 10);
        return { type: 'track', name: 'paid', span, start: at, arrivedOn, events, users: set };
      };
      const hours = Array.from({ length: 24 }, (_, hour) =>
        cellAt('hour', start + hour * hourMs, 0, eventsPerHour, draw(eventsPerHour)),
      );
      const all = hours.reduce((set, cell) => mergeSets(set, cell.users, storedExactMax), emptySet());
      const late = draw(lateEvents);
      await saveCells(sql, projectId, [
        ...hours,
        cellAt('day', start, 0, 24 * eventsPerHour, all),
        cellAt('hour', start, dayMs, lateEvents, late),
        cellAt('day', start, dayMs, lateEvents, late),
      ]);
    }
    await sql.run`analyze event_cells`;
  });
}
