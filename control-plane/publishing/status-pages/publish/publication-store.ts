import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { type StatusPageRow, statusPageColumns } from '../store.ts';

/** Waits for a running publication of the page and locks out the next one. */
export async function lockPublication(sql: Sql, pageId: string, nowMs: number): Promise<void> {
  await sql.run`
    insert into page_publications as current (status_page_id, project_id, due_at)
    select id, project_id, ${instant(nowMs)}
    from status_pages
    where id = ${pageId}
    on conflict (status_page_id) do update set due_at = current.due_at`;
}

/** The page whose requests have been taken; null if it no longer exists. */
export async function readPublishedPage(sql: Sql, pageId: string): Promise<StatusPageRow | null> {
  return sql.row<StatusPageRow>`
    select ${statusPageColumns}
    from status_pages
    where id = ${pageId} and deleted_at is null`;
}

/** A page to publish, and at which level of detail. */
export type ClaimedPage = { id: string; projectId: string; level: number };

/** Publications that are due or requested. A page that could not be rendered waits for its time. */
const wanted = (nowMs: number) => fragment`
  select page_requests.status_page_id, page_requests.requested_at as at
  from page_requests
  join page_publications on page_publications.status_page_id = page_requests.status_page_id
  where page_publications.error is null or page_publications.due_at <= ${instant(nowMs)}
  union all
  select status_page_id, due_at from page_publications where due_at <= ${instant(nowMs)}`;

/** Whether `claimDue` would find a page. */
export const isAnyPageDue = (nowMs: number) => fragment`exists (${wanted(nowMs)})`;

/** The same, asked by itself. */
export async function isAnyDue(sql: Sql, nowMs: number): Promise<boolean> {
  const row = await sql.row<{ due: boolean }>`select ${isAnyPageDue(nowMs)} as due`;
  return row?.due === true;
}

/**
 * Locks the publication that has waited longest and returns its page; null if there is none. Projects have turns: one
 * whose pages change all the time, or take long, comes after those that were not tried for longer.
 */
export async function claimDue(sql: Sql, nowMs: number): Promise<ClaimedPage | null> {
  return sql.row<ClaimedPage>`
    with wanted as (${wanted(nowMs)})
    select page_publications.status_page_id as id, page_publications.project_id as "projectId",
      case when page_publications.reduced_until > ${instant(nowMs)} then page_publications.detail_level else 0 end
        as level
    from page_publications
    join (
      select status_page_id, min(at) as at
      from wanted
      group by status_page_id
    ) pages on pages.status_page_id = page_publications.status_page_id
    order by (
        select tried_at
        from publication_turns
        where project_id = page_publications.project_id
      ) nulls first, pages.at
    limit 1
    for update of page_publications skip locked`;
}

/** Notes that the project has its turn now. Outside of the publication's transaction, which may be cut off. */
export async function noteTurn(sql: Sql, projectId: string, nowMs: number): Promise<void> {
  await sql.run`
    insert into publication_turns (project_id, tried_at)
    values (${projectId}, ${instant(nowMs)})
    on conflict (project_id) do update set tried_at = excluded.tried_at`;
}

/** After a page exceeded its budget: it is due at once with less detail, for an hour; later if there is no less. */
export async function reduceDetail(sql: Sql, pageId: string, levelMax: number, nowMs: number): Promise<void> {
  await sql.run`
    update page_publications
    set due_at = case
        when reduced_until > ${instant(nowMs)} and detail_level >= ${levelMax}
          then ${instant(nowMs)}::timestamptz + interval '15 minutes'
        else ${instant(nowMs)}
      end,
      error = 'the page took too long to render',
      detail_level = case
        when reduced_until > ${instant(nowMs)} then least(detail_level + 1, ${levelMax}::integer)
        else 1
      end,
      reduced_until = ${instant(nowMs)}::timestamptz + interval '1 hour'
    where status_page_id = ${pageId}`;
}

/**
 * Asks for pages to be published. It never waits for a page that is being rendered: a request that is committed while
 * the page is rendered stays, and the page is rendered again.
 */
export async function requestPublication(sql: Sql, pageIds: readonly string[], nowMs: number): Promise<void> {
  await sql.run`
    insert into page_requests (status_page_id, project_id, requested_at)
    select status_page_id, project_id, ${instant(nowMs)}::timestamptz
    from page_publications
    where status_page_id = any(${pageIds}::text[])`;
}

/**
 * Takes the requests of a page, before its rows are read: what is asked for later leads to another publication. Returns
 * the instant of the last one; null if there was none.
 */
export async function takeRequests(sql: Sql, pageId: string): Promise<number | null> {
  const row = await sql.row<{ last: number | null }>`
    with taken as (
      delete from page_requests
      where status_page_id = ${pageId}
      returning requested_at
    )
    select max(requested_at) as last
    from taken`;
  return row?.last ?? null;
}

/** Records a publication, when the next is due, and notifies every replica once the transaction commits. */
export async function finishPublication(sql: Sql, pageId: string, nextMs: number, nowMs: number): Promise<void> {
  await sql.run`
    update page_publications
    set due_at = ${instant(nextMs)}, published_at = ${instant(nowMs)}, revision = revision + 1, error = null
    where status_page_id = ${pageId}`;
  await notifyReplicas(sql, pageId);
}

export async function postponePublication(sql: Sql, pageId: string, nextMs: number, error: string): Promise<void> {
  await sql.run`
    update page_publications
    set due_at = ${instant(nextMs)}, error = ${error}
    where status_page_id = ${pageId}`;
}

/** Pages with components that the monitor drives. */
export async function listPagesOfMonitor(sql: Sql, monitorId: string): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select distinct components.status_page_id as id
    from component_monitors
    join components on components.id = component_monitors.component_id
    where component_monitors.monitor_id = ${monitorId}`;
  return rows.map(row => row.id);
}

/** The pages that show a maintenance, or a component of which it has monitors; also of a deleted one. */
export async function listPagesOfMaintenance(sql: Sql, maintenanceId: string): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select unnest(m.status_page_ids) as id
    from maintenances m
    where m.id = ${maintenanceId}
    union
    select c.status_page_id
    from maintenances m
    join components c on c.id = any(m.component_ids)
    where m.id = ${maintenanceId}
    union
    select c.status_page_id
    from maintenance_members b
    join component_monitors bound on bound.monitor_id = b.monitor_id
    join components c on c.id = bound.component_id
    where b.maintenance_id = ${maintenanceId}`;
  return rows.map(row => row.id);
}

/** Unpublishes a deleted page: its documents and its publication are deleted, and every replica is notified. */
export async function withdrawPage(sql: Sql, pageId: string): Promise<void> {
  await sql.run`delete from published_documents where status_page_id = ${pageId}`;
  await sql.run`delete from page_publications where status_page_id = ${pageId}`;
  await notifyReplicas(sql, pageId);
}

/** Has every replica read the page's documents again, although it was not rendered. */
export async function announceDocuments(sql: Sql, pageId: string): Promise<void> {
  await sql.run`update page_publications set revision = revision + 1 where status_page_id = ${pageId}`;
  await notifyReplicas(sql, pageId);
}

async function notifyReplicas(sql: Sql, pageId: string): Promise<void> {
  await sql.run`select pg_notify('pages', ${pageId})`;
}
