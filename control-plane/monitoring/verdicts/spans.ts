import type { Verdict } from '#shared/vocabulary.ts';
import { mergeSpans, type Span } from '../memberships/window.ts';

/** A verdict in force from `since` until the next row, or a window that does not count. */
export type Row = {
  since: number;
  verdict: Verdict | 'maintenance';
  /** The tool that it was brought from; left out of what was decided here. */
  source?: string;
};

/** Milliseconds of a period by verdict. `imported`: the part of those of the quorum that was brought from elsewhere. */
export type Spans = Record<Counted | 'imported', number>;
type Counted = 'up' | 'degraded' | 'down' | 'paused' | 'maintenance' | 'undetermined';

export const noSpans: Spans = { up: 0, degraded: 0, down: 0, paused: 0, maintenance: 0, undetermined: 0, imported: 0 };

/** Rows with the windows in them: of each instant the first that fits of paused, maintenance and the other verdicts. */
export function withWindows(rows: readonly Row[], windows: readonly Span[]): readonly Row[] {
  const spans = mergeSpans(windows);
  if (spans.length === 0) return rows;
  const divided: Row[] = [];
  const add = (row: Row) => {
    const last = divided.at(-1);
    if (last?.verdict !== row.verdict || last.source !== row.source) divided.push(row);
  };
  let first = 0;
  for (const [index, { since, verdict, source }] of rows.entries()) {
    const from = source === undefined ? {} : { source };
    const end = rows[index + 1]?.since ?? Number.POSITIVE_INFINITY;
    while ((spans[first]?.end ?? Number.POSITIVE_INFINITY) <= since) first += 1;
    if (verdict === 'paused' || verdict === 'deleted') {
      add({ since, verdict, ...from });
      continue;
    }
    let at = since;
    for (let next = first; at < end; next++) {
      const span = spans[next];
      if (span === undefined || span.start >= end) {
        add({ since: at, verdict, ...from });
        break;
      }
      if (span.start > at) add({ since: at, verdict, ...from });
      add({ since: Math.max(at, span.start), verdict: 'maintenance' });
      at = span.end;
    }
  }
  return divided;
}

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
    if (counted === null || end <= start) continue;
    spans[counted] += end - start;
    const isObserved = counted === 'up' || counted === 'degraded' || counted === 'down';
    if (row.source !== undefined && isObserved) spans.imported += end - start;
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
function spanOf(verdict: Row['verdict']): Counted | null {
  switch (verdict) {
    case 'up':
    case 'degraded':
    case 'down':
    case 'paused':
    case 'maintenance':
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
