import type { Verdict } from '#shared/vocabulary.ts';

/** A verdict in force from `since` until the next row. */
export type Row = { since: number; verdict: Verdict };

/** Milliseconds of a period by verdict. */
export type Spans = { up: number; degraded: number; down: number; paused: number; undetermined: number };

export const noSpans: Spans = { up: 0, degraded: 0, down: 0, paused: 0, undetermined: 0 };

/**
 * Time of [from, to) by verdict. Rows are in order and the last one has no end. Time before the first row and while
 * deleted does not count.
 */
export function spansOf(rows: readonly Row[], from: number, to: number): Spans {
  const spans = { ...noSpans };
  for (const [index, row] of rows.entries()) {
    const start = Math.max(row.since, from);
    const end = Math.min(rows[index + 1]?.since ?? to, to);
    const counted = spanOf(row.verdict);
    if (counted !== null && end > start) spans[counted] += end - start;
  }
  return spans;
}

/**
 * `spansOf` for adjoining buckets in one pass: linear in rows and buckets. `bounds` ascend; there is one more than
 * buckets.
 */
export function spansByBucket(rows: readonly Row[], bounds: readonly number[]): Spans[] {
  const buckets: Spans[] = [];
  let first = 0;
  for (let index = 0; index + 1 < bounds.length; index++) {
    const [from = 0, to = 0] = [bounds[index], bounds[index + 1]];
    while ((rows[first + 1]?.since ?? Number.POSITIVE_INFINITY) <= from) first += 1;
    let last = first;
    while ((rows[last]?.since ?? Number.POSITIVE_INFINITY) < to) last += 1;
    buckets.push(spansOf(rows.slice(first, last + 1), from, to));
  }
  return buckets;
}

/** Time with a verdict of the quorum. */
export function observedMs(spans: Spans): number {
  return spans.up + spans.degraded + spans.down;
}

/** (up + degraded) / observed, not rounded; null if nothing was observed. */
export function uptimeOf(spans: Spans): number | null {
  const observed = observedMs(spans);
  return observed === 0 ? null : (spans.up + spans.degraded) / observed;
}

/** Pending counts as undetermined: there was no verdict. */
function spanOf(verdict: Verdict): keyof Spans | null {
  switch (verdict) {
    case 'up':
    case 'degraded':
    case 'down':
    case 'paused':
    case 'undetermined':
      return verdict;
    case 'pending':
      return 'undetermined';
    case 'deleted':
      return null;
    default:
      return verdict satisfies never;
  }
}
