type Geometry = {
  /** Where the list starts, from the top of the visible part; negative once it was scrolled past. */
  top: number;
  height: number;
  rowHeight: number;
  count: number;
};

/** Rows that stand ready above and below the visible ones. */
const spare = 12;

/** The rows to render, as `slice` takes them. Whole steps of rows, so that most scrolling changes nothing. */
export function visibleRows({ top, height, rowHeight, count }: Geometry): { first: number; last: number } {
  const step = spare / 2;
  const firstSeen = Math.floor(-top / rowHeight / step) * step - spare;
  const first = Math.min(Math.max(0, firstSeen), Math.max(0, count - 1));
  const seen = Math.ceil(height / rowHeight) + 3 * spare;
  return { first, last: Math.min(count, first + seen) };
}
