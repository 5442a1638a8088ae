import { toTimestamp } from '#shared/clock.ts';
import { dayMs, dayOf, hourMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Marker } from '../../releases/store.ts';
import type { FlowVersion } from '../flow.ts';
import { boundsWithin, floorHour, hoursIn, releaseAt } from '../roll-up/dirty-hours.ts';
import type { PlannedRange } from './ranges.ts';
import type { Grouping } from './schema.ts';

/** What a report reads and how it groups, once its parameters are checked. */
export type ReportContext = {
  sql: Sql;
  version: FlowVersion;
  markers: readonly Marker[];
  grouping: Grouping;
  /** Counts only entries of this release; null for all. */
  releaseId: string | null;
  rawFromMs: number;
  ranges: readonly PlannedRange[];
};

/** How entries are grouped: the part of the context that decides it. */
export type GroupRule = Pick<ReportContext, 'grouping' | 'markers'>;

/** Users who reached each step, by group. `estimated` if any count comes from a sketch. */
export type Groups = { counts: Map<string, number[]>; estimated: boolean };

/** The group of all entries. The others are instants (days, hours) or release ids, '' before the first marker. */
export const allEntries = 'all';

/** The group of an entry at this instant. */
export function groupOf({ grouping, markers }: GroupRule, atMs: number): string {
  switch (grouping) {
    case 'none':
      return allEntries;
    case 'day':
      return toTimestamp(dayOf(atMs));
    case 'hour':
      return toTimestamp(floorHour(atMs));
    case 'release':
      return releaseAt(markers, atMs);
    default:
      return grouping satisfies never;
  }
}

/** Where the group of this instant begins. */
export function groupStart({ grouping, markers }: GroupRule, atMs: number): number {
  switch (grouping) {
    case 'none':
      return Number.NEGATIVE_INFINITY;
    case 'day':
      return dayOf(atMs);
    case 'hour':
      return floorHour(atMs);
    case 'release':
      return markers.findLast(marker => marker.atMs <= atMs)?.atMs ?? Number.NEGATIVE_INFINITY;
    default:
      return grouping satisfies never;
  }
}

/** Where the group of this instant ends: no entry from then on belongs to it. */
export function groupEnd({ grouping, markers }: GroupRule, atMs: number): number {
  switch (grouping) {
    case 'none':
      return Number.POSITIVE_INFINITY;
    case 'day':
      return dayOf(atMs) + dayMs;
    case 'hour':
      return floorHour(atMs) + hourMs;
    case 'release':
      return markers.find(marker => marker.atMs > atMs)?.atMs ?? Number.POSITIVE_INFINITY;
    default:
      return grouping satisfies never;
  }
}

/** The ends of the range and the instants in it at which one group ends and the next begins, ascending. */
export function boundsOf(
  { grouping, markers }: GroupRule,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): number[] {
  switch (grouping) {
    case 'none':
      return boundsWithin(fromMs, toMs, []);
    case 'day':
      return boundsWithin(
        fromMs,
        toMs,
        hoursIn(fromMs, toMs).filter(hour => hour % dayMs === 0),
      );
    case 'hour':
      return boundsWithin(fromMs, toMs, hoursIn(fromMs, toMs));
    case 'release':
      return boundsWithin(
        fromMs,
        toMs,
        markers.map(marker => marker.atMs),
      );
    default:
      return grouping satisfies never;
  }
}
