import type { List } from '../../session/api.ts';
import type { Alert } from '../../session/api-types.ts';

/** Unresolved alerts, the most severe first, and the resolved ones loaded so far; `cursor` leads to older ones. */
export type AlertLists = { unresolved: readonly Alert[]; resolved: readonly Alert[]; cursor: string | null };

/** Replaces the unresolved alerts and the newest resolved ones; keeps older pages and their cursor. */
export function mergeAlerts(lists: AlertLists, unresolved: readonly Alert[], newest: List<Alert>): AlertLists {
  const ids = new Set(newest.data.map(({ id }) => id));
  const older = lists.resolved.filter(({ id }) => !ids.has(id));
  return {
    unresolved: unresolved.toSorted(byUrgency),
    resolved: [...newest.data, ...older],
    cursor: older.length === 0 ? newest.pagination.next_cursor : lists.cursor,
  };
}

/** Open before acknowledged, both before held, then by severity; the API's order, newest first, decides the rest. */
export function byUrgency(left: Alert, right: Alert): number {
  return (
    Number(left.held) - Number(right.held) ||
    Number(right.state === 'open') - Number(left.state === 'open') ||
    left.severity.localeCompare(right.severity)
  );
}

/** Whether an alert is open and people are notified of it. */
export function isNotifying({ state, held }: Pick<Alert, 'state' | 'held'>): boolean {
  return state === 'open' && !held;
}

/** `New alert: Shop is down`; null if none opened or was released from a hold. */
export function describeOpened(before: readonly Alert[], now: readonly Alert[]): string | null {
  const ids = new Set(before.filter(({ held }) => !held).map(({ id }) => id));
  const opened = now.filter(alert => isNotifying(alert) && !ids.has(alert.id));
  if (opened.length === 0) return null;
  const named = opened.slice(0, 3).map(({ title }) => title);
  return `New alert: ${named.join(', ')}${opened.length > 3 ? ` and ${opened.length - 3} more` : ''}`;
}
