import { isDeepStrictEqual } from 'node:util';
import type { VerdictChange } from './timeline.ts';

/** Rows of a history to delete, by their start, and to insert. A row that changed is in both. */
export type RowChanges = { gone: readonly number[]; added: readonly VerdictChange[] };

/** Rows that are compared at once, and written at once: some milliseconds. */
const portionMax = 5000;

/**
 * Pure: what turns the stored rows `before` into `rows`, both in order, in portions. Rows that stay as they are stored
 * are left out: a late result concerns a few, also where a monitor flapped for a month.
 */
export function* compareRows(
  before: readonly VerdictChange[],
  rows: readonly VerdictChange[],
  portion = portionMax,
): Generator<RowChanges> {
  let [old, next] = [0, 0];
  while (old < before.length || next < rows.length) {
    const gone: number[] = [];
    const added: VerdictChange[] = [];
    for (let count = 0; count < portion; count++) {
      const [stored, row] = [before[old], rows[next]];
      const storedAt = stored?.since ?? Number.POSITIVE_INFINITY;
      const rowAt = row?.since ?? Number.POSITIVE_INFINITY;
      if (stored !== undefined && storedAt <= rowAt) old += 1;
      if (row !== undefined && rowAt <= storedAt) next += 1;
      if (stored !== undefined && row !== undefined && storedAt === rowAt && isSame(stored, row)) continue;
      if (stored !== undefined && storedAt <= rowAt) gone.push(storedAt);
      if (row !== undefined && rowAt <= storedAt) added.push(row);
    }
    yield { gone, added };
  }
}

function isSame(stored: VerdictChange, row: VerdictChange): boolean {
  if (stored === row) return true;
  return (
    stored.verdict === row.verdict &&
    stored.configVersion === row.configVersion &&
    isDeepStrictEqual(stored.votes, row.votes) &&
    isDeepStrictEqual(stored.decision ?? null, row.decision ?? null)
  );
}
