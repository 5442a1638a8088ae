import { toTimestamp } from '#shared/clock.ts';
import type { Sql } from '../db/sql.ts';
import type { Marker } from '../releases/store.ts';
import type { FlowVersion } from './flow.ts';
import { boundsWithin, dayMs, floorHour, hourMs, hoursIn, releaseAt } from './hours.ts';
import type { Part } from './parts.ts';
import type { Grouping } from './report-schema.ts';

/** What a report is about, as far as it is settled. */
export type Scene = {
  sql: Sql;
  version: FlowVersion;
  markers: readonly Marker[];
  grouping: Grouping;
  releaseId: string | null;
  rawFromMs: number;
  parts: readonly Part[];
};

/** Users at each step, by group; a group is an instant, a release or everything. */
export type Groups = { counts: Map<string, number[]>; estimated: boolean };

/** The key of the group that every entry is in; '' is the release of entries before the first marker. */
export const everything = 'everything';

export function groupOf({ grouping, markers }: Scene, atMs: number): string {
  switch (grouping) {
    case 'none':
      return everything;
    case 'day':
      return toTimestamp(Math.floor(atMs / dayMs) * dayMs);
    case 'hour':
      return toTimestamp(floorHour(atMs));
    case 'release':
      return releaseAt(markers, atMs);
    default:
      return grouping satisfies never;
  }
}

/** Where one group ends and the next begins. */
export function boundsOf({ grouping, markers }: Scene, { fromMs, toMs }: Part): number[] {
  const hours = grouping === 'hour' || grouping === 'day' ? hoursIn(fromMs, toMs) : [];
  const days = grouping === 'day' ? hours.filter(hour => hour % dayMs === 0) : hours;
  return boundsWithin(fromMs, toMs, grouping === 'release' ? markers.map(marker => marker.atMs) : days);
}

/** Where the group that this instant is in ends: no later entry belongs to it. */
export function groupEnd({ grouping, markers }: Scene, atMs: number): number {
  switch (grouping) {
    case 'none':
      return Number.POSITIVE_INFINITY;
    case 'day':
      return Math.floor(atMs / dayMs) * dayMs + dayMs;
    case 'hour':
      return floorHour(atMs) + hourMs;
    case 'release':
      return markers.find(marker => marker.atMs > atMs)?.atMs ?? Number.POSITIVE_INFINITY;
    default:
      return grouping satisfies never;
  }
}

/** Where that group begins. */
export function groupStart({ grouping, markers }: Scene, atMs: number): number {
  if (grouping === 'release') return markers.findLast(marker => marker.atMs <= atMs)?.atMs ?? Number.NEGATIVE_INFINITY;
  if (grouping === 'none') return Number.NEGATIVE_INFINITY;
  return grouping === 'day' ? Math.floor(atMs / dayMs) * dayMs : floorHour(atMs);
}
