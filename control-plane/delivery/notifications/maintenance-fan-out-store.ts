import { instant, type Sql } from '../../platform/db/sql.ts';
import {
  inserted,
  insertInPortions,
  type Portion,
  portionMax,
  returnAdded,
  rowId,
  type UpdateToQueue,
} from './fan-out-store.ts';
import { queueAdded } from './queue-store.ts';

/**
 * Queues an update of a window for the active subscribers of its pages: of all of a page that is in scope itself, else
 * of those of its components that are. Nobody gets what the maintenance does not name in `notify`. Idempotent; in
 * portions, as for incidents.
 */
export async function insertMaintenanceDeliveries(sql: Sql, update: UpdateToQueue, nowMs: number): Promise<number> {
  const pages = await listPagesToNotify(sql, update.id);
  return insertInPortions(sql, pages, portionMax, range => insertPortion(sql, update, pages, range, nowMs));
}

/** The pages that announce the window; none if nobody is to be notified of this update. */
async function listPagesToNotify(sql: Sql, updateId: string): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select p.id
    from maintenance_updates u
    join maintenances m on m.id = u.maintenance_id
    join status_pages p on p.project_id = m.project_id
    where u.id = ${updateId}
      and m.announced
      and m.deleted_at is null
      and p.deleted_at is null
      and case
        when u.automatic in ('announced', 'started', 'completed') then u.automatic
        else 'updates'
      end = any(m.notify)
      and (
        p.id = any(m.status_page_ids)
        or exists (
          select
          from components c
          where c.status_page_id = p.id and c.deleted_at is null and c.id = any(m.component_ids)
        )
      )
    order by p.id`;
  return rows.map(row => row.id);
}

async function insertPortion(
  sql: Sql,
  { id: updateId, sequence, createdAt }: UpdateToQueue,
  pages: readonly string[],
  { after, end }: Portion,
  nowMs: number,
): Promise<number> {
  return sql.run`
    with added as (
      insert into deliveries (${inserted})
      select
        ${rowId(nowMs)}, s.project_id, 'maintenance_update', s.channel, u.id, s.id, null, u.occurrence_id, ${sequence},
        '{}', 'queued', ${instant(nowMs)}, ${instant(createdAt)}, m.id
      from maintenance_updates u
      join maintenances m on m.id = u.maintenance_id
      join subscribers s on s.status_page_id = any(${pages}::text[])
      where u.id = ${updateId}
        and s.state = 'active'
        and s.id > ${after}
        and (${end}::text is null or s.id <= ${end})
        and (
          s.component_ids = '{}'
          or s.status_page_id = any(m.status_page_ids)
          or s.component_ids && m.component_ids
        )
      order by s.id
      ${returnAdded}
    )
    ${queueAdded}`;
}
