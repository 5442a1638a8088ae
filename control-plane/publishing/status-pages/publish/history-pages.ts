export const historyPageSize = 25;

/**
 * A page of the history: null is the newest one, the others count from the oldest. `newer` and `older` are its
 * neighbours.
 */
export type HistoryPosition = { number: number | null; newer: number | 'newest' | null; older: number | null };

/**
 * Divides incidents, latest first, into pages. The newest page has 25 to 49 of them, or all if there are fewer than 50;
 * every other page has 25 and keeps them: a new incident changes the newest page only, and seldom the one after it.
 */
export function historyPages<Entry>(entries: readonly Entry[]): { position: HistoryPosition; entries: Entry[] }[] {
  const filled = Math.max(0, Math.floor(entries.length / historyPageSize) - 1);
  const newest = entries.slice(0, entries.length - filled * historyPageSize);
  const pages = [{ position: positionOf(null, filled), entries: newest }];
  for (let number = filled; number >= 1; number--) {
    const end = entries.length - (number - 1) * historyPageSize;
    pages.push({ position: positionOf(number, filled), entries: entries.slice(end - historyPageSize, end) });
  }
  return pages;
}

/** Path of a page of the history below its status page. */
export function historyPath(number: number | null): string {
  return number === null ? '/history' : `/history/${number}`;
}

function positionOf(number: number | null, filled: number): HistoryPosition {
  if (number === null) return { number, newer: null, older: filled > 0 ? filled : null };
  return { number, newer: number === filled ? 'newest' : number + 1, older: number > 1 ? number - 1 : null };
}
