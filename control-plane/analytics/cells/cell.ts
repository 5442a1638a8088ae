import { dayOf } from '#shared/duration.ts';
import { emptySet, mergeSets, storedExactMax, type UserSet } from '../user-sets/user-set.ts';

/** Types of events that are counted by name. */
export const countedTypes = ['track', 'error'] as const;
export type CountedType = (typeof countedTypes)[number];

/** Takes the events of names beyond the limit, and those that are named so. */
export const otherName = '(other)';

/** What one cell counts: events of a name whose time is in an hour or a day of UTC. */
export type Span = 'hour' | 'day';

/** Events that arrived on a day of UTC, `YYYY-MM-DD`, are counted apart from those of other days. */
export type CellKey = { type: CountedType; name: string; span: Span; start: number; arrivedOn: string };

/** Events and the users that sent them: exact up to 2,048 users, a sketch above. */
export type Cell = CellKey & { events: number; users: UserSet };

/** Events of one commit or recount by name and hour. `at`: when they were stored. */
export type Delta = {
  type: CountedType;
  name: string;
  hour: number;
  arrivedOn: string;
  events: number;
  users: UserSet;
  firstAt: number;
  lastAt: number;
  at: number;
};

function cellKeyOf({ type, name, span, start, arrivedOn }: CellKey): string {
  return `${type} ${span} ${arrivedOn} ${start} ${name}`;
}

/**
 * The cells that the deltas amount to, by key: of hours and of days. A name without cells of its own counts among the
 * others.
 */
export function cellsOf(
  deltas: readonly Delta[],
  isAdmitted: (type: CountedType, name: string) => boolean,
): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const { type, name, hour, arrivedOn, events, users } of deltas)
    for (const span of ['hour', 'day'] as const) {
      const start = span === 'hour' ? hour : dayOf(hour);
      const key = { type, name: isAdmitted(type, name) ? name : otherName, span, start, arrivedOn };
      const cell = openCell(cells, key);
      cell.events += events;
      cell.users = mergeSets(cell.users, users, storedExactMax);
    }
  return cells;
}

/** The cells of days that cells of their hours amount to. */
export function dayCellsOf(hours: readonly Cell[]): Cell[] {
  const cells = new Map<string, Cell>();
  for (const { type, name, start, arrivedOn, events, users } of hours) {
    const cell = openCell(cells, { type, name, span: 'day', start: dayOf(start), arrivedOn });
    cell.events += events;
    cell.users = mergeSets(cell.users, users, storedExactMax);
  }
  return [...cells.values()];
}

/** Adds stored cells to new ones of the same keys. */
export function addStored(cells: ReadonlyMap<string, Cell>, stored: readonly Cell[]): void {
  for (const before of stored) {
    const cell = cells.get(cellKeyOf(before));
    if (cell === undefined) continue;
    cell.events += before.events;
    cell.users = mergeSets(cell.users, before.users, storedExactMax);
  }
}

function openCell(cells: Map<string, Cell>, key: CellKey): Cell {
  const text = cellKeyOf(key);
  const cell = cells.get(text) ?? { ...key, events: 0, users: emptySet() };
  cells.set(text, cell);
  return cell;
}
