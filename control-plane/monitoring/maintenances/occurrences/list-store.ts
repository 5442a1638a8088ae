import { olderThan } from '../../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import type { Page } from '../../../platform/http/endpoint/pagination.ts';
import { monitorCount, occurrenceColumns, type ShownOccurrence } from './store.ts';

type PlannedOccurrence = ShownOccurrence & { title: string; announced: boolean };

/** Latest start first; those that overlap the range. Reads one row more than the page shows. */
export async function listOccurrences(
  sql: Sql,
  maintenanceId: string,
  { fromMs, toMs }: { fromMs: number | null; toMs: number | null },
  page: Page,
): Promise<ShownOccurrence[]> {
  return sql.rows<ShownOccurrence>`
    select ${occurrenceColumns}, ${monitorCount} as monitors
    from maintenance_occurrences o
    where o.maintenance_id = ${maintenanceId}
      and (${instant(fromMs)}::timestamptz is null or o.ends_at > ${instant(fromMs)})
      and (${instant(toMs)}::timestamptz is null or o.starts_at < ${instant(toMs)})
      and ${olderThan(page, fragment`o.starts_at, o.id`)}
    order by o.starts_at desc, o.id desc
    limit ${page.limit + 1}`;
}

/** The same for all maintenances of a project, with what they are called. */
export async function listPlannedOccurrences(
  sql: Sql,
  projectId: string,
  { fromMs, toMs }: { fromMs: number | null; toMs: number | null },
  page: Page,
): Promise<PlannedOccurrence[]> {
  return sql.rows<PlannedOccurrence>`
    select ${occurrenceColumns}, ${monitorCount} as monitors, m.title, m.announced
    from maintenance_occurrences o
    join maintenances m on m.id = o.maintenance_id
    where m.project_id = ${projectId}
      and m.deleted_at is null
      and (${instant(fromMs)}::timestamptz is null or o.ends_at > ${instant(fromMs)})
      and (${instant(toMs)}::timestamptz is null or o.starts_at < ${instant(toMs)})
      and ${olderThan(page, fragment`o.starts_at, o.id`)}
    order by o.starts_at desc, o.id desc
    limit ${page.limit + 1}`;
}
