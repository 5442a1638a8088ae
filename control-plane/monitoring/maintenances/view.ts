import { toTimestamp } from '#shared/clock.ts';
import type { MaintenanceView, OccurrenceView } from './maintenance.ts';
import type { OccurrenceJson } from './occurrences/store.ts';
import type { MaintenanceRow } from './store.ts';

const time = (ms: number | null) => (ms === null ? null : toTimestamp(ms));

/** The maintenance as the API shows it. */
export function viewMaintenance(row: MaintenanceRow): MaintenanceView {
  return {
    id: row.id,
    project_id: row.project_id,
    key: null,
    managed_by: null,
    title: row.title,
    description: row.description,
    scope: {
      monitor_ids: [...row.monitor_ids],
      selector: row.selector,
      component_ids: [...row.component_ids],
      status_page_ids: [...row.status_page_ids],
    },
    starts_at: time(row.starts_at),
    ends_at: time(row.ends_at),
    schedule: row.schedule,
    alerts: row.alerts,
    exclude_from_uptime: row.exclude_from_uptime,
    settle_seconds: row.settle_seconds,
    announced: row.announced,
    announce_before_hours: row.announce_before_hours,
    notify: row.notify,
    state: row.state,
    current: viewOf(row.current, 'in_progress'),
    next: viewOf(row.next, 'scheduled'),
    matched_monitors: row.matched_monitors,
    updates: row.updates.map(update => ({
      ...update,
      posted_at: toTimestamp(update.posted_at),
      edited_at: time(update.edited_at),
    })),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

function viewOf(row: OccurrenceJson | null, state: OccurrenceView['state']): OccurrenceView | null {
  if (row === null) return null;
  return {
    id: row.id,
    starts_at: toTimestamp(row.starts_at),
    ends_at: toTimestamp(row.ends_at),
    original_start: toTimestamp(row.original_start),
    state,
    monitors: row.monitors,
  };
}
