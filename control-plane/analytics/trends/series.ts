import type { Bucket } from './buckets.ts';
import type { Count } from './merge-cells.ts';
import type { SeriesView } from './schema.ts';

/** A series before it is shown: a count for each bucket. */
export type Series = Pick<SeriesView, 'event' | 'group' | 'total'> & { data: Count[] };

/** The ends of buckets, ascending. */
export function boundsOf(buckets: readonly Bucket[]): number[] {
  const last = buckets.at(-1);
  return last === undefined ? [] : [...buckets.map(bucket => bucket.fromMs), last.toMs];
}
