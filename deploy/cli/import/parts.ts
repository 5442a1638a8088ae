import type { MonitorHistory } from './imported.ts';

/** Rows of one request. */
const rowsMax = 10_000;

/** A part of a history, as one request sends it. */
export type HistoryPart = Pick<MonitorHistory, 'from' | 'until' | 'rows'>;

/** Pure: a history in parts, up to the monitor's own. Each begins with a row, so that none is about the one before. */
export function partsOf({ from, until, rows }: MonitorHistory, ownFrom: number): HistoryPart[] {
  const end = Math.min(until, ownFrom);
  const own = rows.filter(({ since }) => since < end);
  const parts: HistoryPart[] = [];
  for (let at = 0; at < own.length; at += rowsMax) {
    const next = own[at + rowsMax]?.since;
    const first = own[at]?.since ?? from;
    parts.push({
      from: at === 0 ? Math.min(from, first) : first,
      until: next ?? end,
      rows: own.slice(at, at + rowsMax),
    });
  }
  return parts;
}
