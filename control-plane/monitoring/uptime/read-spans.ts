import { setImmediate } from 'node:timers/promises';
import type { Span } from '../memberships/window.ts';
import { noSpans, type Row, type Spans, spansByBucket, withWindows } from '../verdicts/spans.ts';

/** Rows of a history that start after an instant, in order, up to a maximum. The first read has the one in force. */
export type ReadRows = (afterMs: number | null, limit: number) => Promise<readonly Row[]>;

export type Portions = { rowsAtOnce: number; rowsMax: number };

/**
 * `spansByBucket` of a history with windows, in portions, so that neither memory nor a turn of the event loop grows
 * with it. Null if it has more rows than allowed.
 */
export async function readSpans(
  read: ReadRows,
  windows: readonly Span[],
  bounds: readonly number[],
  { rowsAtOnce, rowsMax }: Portions,
): Promise<Spans[] | null> {
  const sums = bounds.slice(1).map(() => ({ ...noSpans }));
  let rows = await read(null, rowsAtOnce + 1);
  for (let count = 0; rows.length > 0; ) {
    const portion = rows.slice(0, rowsAtOnce);
    count += portion.length;
    if (count > rowsMax) return null;
    const next = rows[rowsAtOnce];
    // The portion ends where the next one begins.
    const ended: Row[] = next === undefined ? portion : [...portion, { since: next.since, verdict: 'deleted' }];
    for (const [index, spans] of spansByBucket(withWindows(ended, windows), bounds).entries()) add(sums[index], spans);
    if (next === undefined) break;
    await setImmediate();
    rows = await read(next.since - 1, rowsAtOnce + 1);
  }
  return sums;
}

function add(sum: Spans | undefined, spans: Spans): void {
  if (sum === undefined) return;
  for (const name of Object.keys(spans) as (keyof Spans)[]) sum[name] += spans[name];
}
