import type { HistoryRow, MonitorHistory } from '../imported.ts';
import type { Beat, Bucket } from './source.ts';

type Verdict = HistoryRow['verdict'];
/** A time in which a verdict is known, ascending and without overlaps in a list. */
type Span = { from: number; to: number; verdict: Verdict; estimated: boolean };

const holdMinMs = 300_000;

/** What Kuma knew of a monitor between two instants: its checks, and where it dropped them their counts. */
export function historyOf(
  key: string,
  { beats, buckets, intervalMs }: { beats: Iterable<Beat>; buckets: readonly Bucket[]; intervalMs: number },
  { from, until }: { from: number; until: number },
): MonitorHistory | null {
  const checked = within(spansOf(beats, Math.max(2 * intervalMs, holdMinMs)), from, until);
  const hours = fillGaps(checked, estimatesOf(buckets.filter(({ seconds }) => seconds < 86_400)), from, until);
  const all = fillGaps(hours, estimatesOf(buckets.filter(({ seconds }) => seconds >= 86_400)), from, until);
  const [first] = all;
  return first === undefined ? null : { key, from: first.from, until, rows: rowsOf(all, until) };
}

/** A status holds to the next check, but no longer than `holdMs`. */
function spansOf(beats: Iterable<Beat>, holdMs: number): Span[] {
  const spans: Span[] = [];
  let verdict: Verdict | null = null;
  for (const { at, status } of beats) {
    const last = spans.at(-1);
    if (last !== undefined && last.to > at) last.to = at;
    verdict = status === 0 ? 'down' : status === 1 ? 'up' : status === 3 ? 'paused' : verdict;
    if (verdict === null) continue;
    // Checks in a row of one verdict are one span: a database has millions.
    if (last !== undefined && last.verdict === verdict && last.to === at) last.to = at + holdMs;
    else spans.push({ from: at, to: at + holdMs, verdict, estimated: false });
  }
  return spans;
}

/** The share that was down stands at the beginning of each bucket. */
function estimatesOf(buckets: readonly Bucket[]): Span[] {
  return buckets.flatMap(({ at, seconds, up, down }): Span[] => {
    const end = at + seconds * 1000;
    const changes = at + Math.round((seconds * 1000 * down) / (up + down));
    const spans: Span[] = [
      { from: at, to: changes, verdict: 'down', estimated: true },
      { from: changes, to: end, verdict: 'up', estimated: true },
    ];
    return spans.filter(span => span.to > span.from);
  });
}

function within(spans: readonly Span[], from: number, until: number): Span[] {
  return spans
    .map(span => ({ ...span, from: Math.max(span.from, from), to: Math.min(span.to, until) }))
    .filter(span => span.to > span.from);
}

/** Known spans, with estimates wherever nothing is known. */
function fillGaps(known: readonly Span[], estimates: readonly Span[], from: number, until: number): Span[] {
  const filled: Span[] = [];
  let cursor = from;
  let next = 0;
  const fill = (to: number): void => {
    while (next < estimates.length && (estimates[next]?.to ?? 0) <= cursor) next += 1;
    for (let index = next; index < estimates.length; index++) {
      const estimate = estimates[index];
      if (estimate === undefined || estimate.from >= to) break;
      const [clipped] = within([estimate], cursor, to);
      if (clipped === undefined) continue;
      filled.push(clipped);
      cursor = clipped.to;
    }
  };
  for (const span of known) {
    fill(span.from);
    filled.push(span);
    cursor = span.to;
  }
  fill(until);
  return filled;
}

/** Where nothing is known between spans, the verdict is undetermined. */
function rowsOf(spans: readonly Span[], until: number): HistoryRow[] {
  const rows: HistoryRow[] = [];
  const add = (since: number, verdict: Verdict, estimated: boolean): void => {
    const last = rows.at(-1);
    if (last?.verdict !== verdict || last.estimated !== estimated) rows.push({ since, verdict, estimated });
  };
  let end: number | null = null;
  for (const { from, to, verdict, estimated } of spans) {
    if (end !== null && from > end) add(end, 'undetermined', false);
    add(from, verdict, estimated);
    end = to;
  }
  if (end !== null && end < until) add(end, 'undetermined', false);
  return rows;
}
