import { type Fragment, fragment, instant } from './sql.ts';

// Keyset pagination: a page begins behind the last row of the page before, whatever was added meanwhile.

/** The instant and the id of the last row shown; null on the first page. */
type Cursor = { after: readonly [ms: number, id: string] | null };

/** Rows behind the cursor of a list that shows the newest first. `key`: the columns of instant and id, in its order. */
export function olderThan({ after }: Cursor, key: Fragment): Fragment {
  return after === null ? fragment`true` : fragment`(${key}) < ${positionOf(after)}`;
}

/** The same for a list that shows the oldest first. */
export function newerThan({ after }: Cursor, key: Fragment): Fragment {
  return after === null ? fragment`true` : fragment`(${key}) > ${positionOf(after)}`;
}

function positionOf([ms, id]: readonly [ms: number, id: string]): Fragment {
  return fragment`(${instant(ms)}::timestamptz, ${id}::text)`;
}
