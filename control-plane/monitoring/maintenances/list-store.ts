import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import { type MaintenanceRow, shown, stateAt } from './store.ts';

/** Null means any. A maintenance is in the range if an occurrence overlaps it. */
type MaintenanceFilter = {
  states: readonly string[] | null;
  fromMs: number | null;
  toMs: number | null;
  monitorId: string | null;
  statusPageId: string | null;
};

/** Newest first. Reads one row more than the page shows. */
export async function listMaintenances(
  sql: Sql,
  projectId: string,
  { states, fromMs, toMs, monitorId, statusPageId }: MaintenanceFilter,
  page: Page,
  nowMs: number,
): Promise<MaintenanceRow[]> {
  return sql.rows<MaintenanceRow>`
    select ${shown(nowMs)}
    from maintenances m
    where m.project_id = ${projectId}
      and m.deleted_at is null
      and (${states}::text[] is null or ${stateAt(nowMs)} = any(${states}))
      and (
        (${instant(fromMs)}::timestamptz is null and ${instant(toMs)}::timestamptz is null)
        or exists (
          select
          from maintenance_occurrences o
          where o.maintenance_id = m.id
            and (${instant(fromMs)}::timestamptz is null or o.ends_at > ${instant(fromMs)})
            and (${instant(toMs)}::timestamptz is null or o.starts_at < ${instant(toMs)})
        )
      )
      and (
        ${monitorId}::text is null
        or exists (
          select
          from maintenance_members b
          where b.maintenance_id = m.id and b.monitor_id = ${monitorId}
        )
      )
      and (
        ${statusPageId}::text is null
        or ${statusPageId} = any(m.status_page_ids)
        or exists (
          select
          from components c
          where c.status_page_id = ${statusPageId} and c.id = any(m.component_ids)
        )
      )
      and ${olderThan(page, fragment`m.created_at, m.id`)}
    order by m.created_at desc, m.id desc
    limit ${page.limit + 1}`;
}
