import type { Monitor } from '../../data/api-types.ts';
import { presentation } from '../../parts/labels.ts';

type MonitorStatus = Monitor['status'];
/** Every word of the text must match; a null status matches all. */
export type MonitorFilter = { text: string; status: MonitorStatus | null };

const perPage = 50;
const announcedMax = 3;
const urgency = { down: 0, degraded: 1, undetermined: 2, pending: 3, up: 4, paused: 5 } satisfies Record<
  MonitorStatus,
  number
>;

/** The statuses, most urgent first. */
export const statusesByUrgency = (Object.keys(urgency) as MonitorStatus[]).sort(
  (left, right) => urgency[left] - urgency[right],
);

/** Orders by urgency, then by name. A status this page does not know comes last. */
export function byUrgency(left: Monitor, right: Monitor): number {
  const rank = ({ status }: Monitor) => urgency[status] ?? statusesByUrgency.length;
  return rank(left) - rank(right) || left.name.localeCompare(right.name) || left.id.localeCompare(right.id);
}

export function filterMonitors(monitors: readonly Monitor[], { text, status }: MonitorFilter): readonly Monitor[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return monitors.filter(monitor => {
    const searched = `${monitor.name} ${monitor.url} ${monitor.regions.join(' ')} ${monitor.id}`.toLowerCase();
    return (status === null || monitor.status === status) && words.every(word => searched.includes(word));
  });
}

export function pageCount(total: number): number {
  return Math.ceil(total / perPage);
}

/** The monitors on a page; pages count from 0. */
export function pageOf(monitors: readonly Monitor[], page: number): readonly Monitor[] {
  return monitors.slice(page * perPage, (page + 1) * perPage);
}

/** Position of the first and the last item of a page, counted from 1. */
export function pageBounds(total: number, page: number): { first: number; last: number } {
  return { first: page * perPage + 1, last: Math.min(total, (page + 1) * perPage) };
}

/** Announces changed statuses, the first three by name; null if none changed. New monitors are not announced. */
export function describeChanges(before: readonly Monitor[], now: readonly Monitor[]): string | null {
  const statuses = new Map(before.map(({ id, status }) => [id, status]));
  const changed = now.filter(({ id, status }) => statuses.has(id) && statuses.get(id) !== status);
  if (changed.length === 0) return null;
  const named = changed.slice(0, announcedMax).map(describeStatus).join(', ');
  const more = changed.length - announcedMax;
  return more > 0 ? `${named} and ${more} more changed` : named;
}

/** `Shop is down`. */
export function describeStatus({ name, status }: Pick<Monitor, 'name' | 'status'>): string {
  return `${name} is ${presentation('verdicts', status).label.toLowerCase()}`;
}
