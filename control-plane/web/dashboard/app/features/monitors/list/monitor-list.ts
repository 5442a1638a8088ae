import { verdictWords } from '#control-plane/platform/design/labels.ts';
import { foldForSearch } from '#shared/search-folding.ts';
import type { Monitor } from '../../../session/api-types.ts';
import type { Kind } from '../editor/kind-draft.ts';
import { kindWords } from '../editor/kind-words.ts';

type MonitorStatus = Monitor['status'];
const sortings = ['urgency', 'name', 'latency', 'uptime', 'checked'] as const;
/** Every word of the text must match; a null status or kind matches all. */
export type MonitorFilter = {
  text: string;
  status: MonitorStatus | null;
  kind: Kind | null;
  sort: (typeof sortings)[number];
};
/** What of a filter is saved. */
export type Narrowing = Pick<MonitorFilter, 'text' | 'status' | 'kind'>;

const announcedMax = 3;
const urgency = { down: 0, degraded: 1, undetermined: 2, pending: 3, up: 4, paused: 5 } satisfies Record<
  MonitorStatus,
  number
>;

/** The statuses, most urgent first. */
export const statusesByUrgency = (Object.keys(urgency) as MonitorStatus[]).sort(
  (left, right) => urgency[left] - urgency[right],
);

const allKinds = Object.keys(kindWords) as Kind[];

/** Orders by urgency, then by name. A status this page does not know comes last. */
export function byUrgency(left: Monitor, right: Monitor): number {
  const rank = ({ status }: Monitor) => urgency[status] ?? statusesByUrgency.length;
  return rank(left) - rank(right) || left.name.localeCompare(right.name) || left.id.localeCompare(right.id);
}

/** The filter in the query of an address; what is not known filters nothing. */
export function parseFilter(query: URLSearchParams): MonitorFilter {
  return {
    text: query.get('q') ?? '',
    status: statusesByUrgency.find(status => status === query.get('status')) ?? null,
    kind: allKinds.find(kind => kind === query.get('kind')) ?? null,
    sort: sortings.find(sort => sort === query.get('sort')) ?? 'urgency',
  };
}

/** A filter as it is saved. One of a kind has a third item, so that those saved before stay as they are. */
export function savedText({ text, status, kind }: Narrowing): string {
  return JSON.stringify([text.trim(), status, ...(kind === null ? [] : [kind])]);
}

/** A filter that was saved as JSON of its text, status and kind; what is not known filters nothing. */
export function readSavedFilter(saved: string): Narrowing {
  try {
    const [text, status, kind]: unknown[] = JSON.parse(saved);
    return {
      text: String(text ?? ''),
      status: statusesByUrgency.find(known => known === status) ?? null,
      kind: allKinds.find(known => known === kind) ?? null,
    };
  } catch {
    return { text: '', status: null, kind: null };
  }
}

/** The kinds of the monitors, in the order in which they are offered. */
export function kindsIn(monitors: readonly Pick<Monitor, 'kind'>[]): Kind[] {
  const found = new Set(monitors.map(({ kind }) => kind));
  return allKinds.filter(kind => found.has(kind));
}

export function sortMonitors(monitors: readonly Monitor[], { sort }: Pick<MonitorFilter, 'sort'>): Monitor[] {
  if (sort === 'name') return monitors.toSorted((left, right) => left.name.localeCompare(right.name));
  if (sort === 'checked')
    return monitors.toSorted((left, right) => lastCheckOf(left).localeCompare(lastCheckOf(right)));
  // The slowest, and the one with the most downtime, first; those without figures last.
  if (sort === 'latency') return monitors.toSorted(byFigure(({ summary }) => -(summary?.p95_ms ?? -1)));
  if (sort === 'uptime') return monitors.toSorted(byFigure(({ summary }) => summary?.uptime_30d ?? 2));
  return monitors.toSorted(byUrgency);
}

function byFigure(figureOf: (monitor: Monitor) => number) {
  return (left: Monitor, right: Monitor) =>
    figureOf(left) - figureOf(right) || left.name.localeCompare(right.name) || left.id.localeCompare(right.id);
}

/** When the newest of the votes was given; '' if there is none. */
export function lastCheckOf({ votes }: Pick<Monitor, 'votes'>): string {
  return votes.reduce((latest, { as_of }) => (as_of !== null && as_of > latest ? as_of : latest), '');
}

export function filterMonitors(
  monitors: readonly Monitor[],
  { text, status, kind = null }: Pick<MonitorFilter, 'text' | 'status'> & { kind?: MonitorFilter['kind'] },
): readonly Monitor[] {
  const words = foldForSearch(text).split(/\s+/).filter(Boolean);
  return monitors.filter(monitor => {
    const labels = Object.entries(monitor.labels).map(([key, value]) => `${key}=${value}`);
    const parts = [monitor.name, monitor.url, monitor.id, ...monitor.regions, ...labels];
    const searched = foldForSearch(parts.join(' '));
    const isOf = (kind === null || monitor.kind === kind) && (status === null || monitor.status === status);
    return isOf && words.every(word => searched.includes(word));
  });
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
  return `${name} is ${(verdictWords[status] ?? status).toLowerCase()}`;
}
