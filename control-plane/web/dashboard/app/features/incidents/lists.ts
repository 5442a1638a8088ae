import type { List } from '../../session/api.ts';
import type { Incident } from '../../session/api-types.ts';

/** The incidents loaded so far, newest first; `cursor` leads to older ones. */
export type IncidentPages = { incidents: readonly Incident[]; cursor: string | null };

export const incidentsPerPage = 50;

/** Replaces the newest page. Older pages stay while they overlap it; after a gap they are dropped. */
export function mergeIncidents({ incidents, cursor }: IncidentPages, newest: List<Incident>): IncidentPages {
  const ids = new Set(newest.data.map(({ id }) => id));
  const overlaps = incidents.some(({ id }) => ids.has(id));
  const older = overlaps ? incidents.slice(incidentsPerPage).filter(({ id }) => !ids.has(id)) : [];
  return {
    incidents: [...newest.data, ...older],
    cursor: older.length === 0 ? newest.pagination.next_cursor : cursor,
  };
}

export function appendOlder({ incidents }: IncidentPages, next: List<Incident>): IncidentPages {
  const ids = new Set(incidents.map(({ id }) => id));
  const added = next.data.filter(({ id }) => !ids.has(id));
  return { incidents: [...incidents, ...added], cursor: next.pagination.next_cursor };
}
