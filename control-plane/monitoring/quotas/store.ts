import { fragment } from '../../platform/db/sql.ts';
import { everyRow, notDeleted, rowCount } from '../../platform/project-limits/quota-store.ts';

/** What counts against the quotas of monitoring. */
export const monitoringCounts = {
  monitors: rowCount('monitors', fragment`monitors`, notDeleted),
  monitor_regions: {
    resource: 'monitor_regions',
    used: fragment`
      -- A monitor that no agent checks has no region and counts as one.
      select coalesce(sum(greatest(1, cardinality(coalesce(able_regions, regions)))), 0) as used from monitors`,
    living: notDeleted,
  },
  components: rowCount('components', fragment`components`, notDeleted),
  maintenances: rowCount(
    'maintenances',
    fragment`maintenances`,
    fragment`
      deleted_at is null
      and (
        expand_at is not null
        or exists (
          select
          from maintenance_occurrences o
          where o.maintenance_id = maintenances.id and o.due_at is not null
        )
      )`,
  ),
  agents: rowCount('agents', fragment`agents a join regions r on r.code = a.region`, fragment`a.revoked_at is null`),
  event_monitors: rowCount('event_monitors', fragment`monitors`, fragment`deleted_at is null and kind = 'events'`),
  secrets: rowCount('secrets', fragment`secrets`, everyRow),
} as const;
