import { instant, type Sql } from '../db/sql.ts';
import type { StatusPageRow } from './store.ts';

export type DocumentRow = {
  path: string;
  incident_id: string | null;
  source: string;
  content_type: string;
  etag: string;
  body_gzip: Buffer;
};

/** Takes the page's turn: one publication at a time. Null when there is no such page any more. */
export async function lockPublication(sql: Sql, pageId: string, nowMs: number): Promise<StatusPageRow | null> {
  await sql.run(
    `insert into page_publications as held (status_page_id, project_id, due_at) select id, project_id, $2 from status_pages where id = $1
     on conflict (status_page_id) do update set due_at = held.due_at`,
    [pageId, instant(nowMs)],
  );
  return sql.row<StatusPageRow>('select * from status_pages where id = $1 and deleted_at is null', [pageId]);
}

/** The page that is due longest, with its turn taken; null when none is. */
export async function claimDue(sql: Sql, nowMs: number): Promise<string | null> {
  const row = await sql.row<{ status_page_id: string }>(
    'select status_page_id from page_publications where due_at <= $1 order by due_at limit 1 for update skip locked',
    [instant(nowMs)],
  );
  return row?.status_page_id ?? null;
}

/**
 * Pages are to be published at once. One that is being rendered now is waited for, whatever it is due at, since it may have
 * read its rows before the change: a condition on `due_at` would pass it by.
 */
export async function requestPublication(sql: Sql, pageIds: readonly string[], nowMs: number): Promise<void> {
  await sql.run(
    `update page_publications set due_at = least(due_at, $2) where status_page_id in (
       select status_page_id from page_publications where status_page_id = any($1::text[]) order by status_page_id for update)`,
    [pageIds, instant(nowMs)],
  );
}

export async function finishPublication(sql: Sql, pageId: string, nextMs: number, nowMs: number): Promise<void> {
  await sql.run(
    `update page_publications set due_at = $2, published_at = $3, revision = revision + 1, error = null where status_page_id = $1`,
    [pageId, instant(nextMs), instant(nowMs)],
  );
  // Heard by every replica once this commits.
  await sql.run("select pg_notify('pages', $1)", [pageId]);
}

export async function postponePublication(sql: Sql, pageId: string, nextMs: number, error: string): Promise<void> {
  await sql.run('update page_publications set due_at = $2, error = $3 where status_page_id = $1', [
    pageId,
    instant(nextMs),
    error,
  ]);
}

/** Pages that show components of the monitor. */
export async function listPagesOfMonitor(sql: Sql, monitorId: string): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(
    'select distinct c.status_page_id as id from component_monitors b join components c on c.id = b.component_id where b.monitor_id = $1',
    [monitorId],
  );
  return rows.map(row => row.id);
}

/**
 * For each incident of the page the state its document is made from, and of the one there is: pages are rendered anew only
 * where these differ. Never by comparing times of two replicas' clocks.
 */
export async function listSources(
  sql: Sql,
  pageId: string,
): Promise<{ incident_id: string; source: string; open: boolean; published: string | null }[]> {
  return sql.rows(
    `with page as (
       select p.updated_at || ' ' || coalesce((select max(updated_at)::text || count(*)::text from components where status_page_id = p.id), '') as source
       from status_pages p where p.id = $1
     )
     select i.id as incident_id, i.updated_at || ' ' || page.source as source, i.resolved_at is null as open, d.source as published
     from page, incidents i left join published_documents d on d.incident_id = i.id
     where i.status_page_id = $1 and i.deleted_at is null order by i.started_at desc, i.id desc`,
    [pageId],
  );
}

/** Sources of the page's documents that belong to no incident, by their paths. */
export async function listHistorySources(sql: Sql, pageId: string): Promise<Map<string, string>> {
  const rows = await sql.rows<{ path: string; source: string }>(
    "select path, source from published_documents where status_page_id = $1 and incident_id is null and source <> ''",
    [pageId],
  );
  return new Map(rows.map(row => [row.path, row.source]));
}

export async function writeDocument(
  sql: Sql,
  page: { id: string; projectId: string },
  document: DocumentRow,
  nowMs: number,
): Promise<void> {
  await sql.run(
    `insert into published_documents (path, status_page_id, project_id, incident_id, source, content_type, etag, body_gzip, published_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (path) do update set status_page_id = excluded.status_page_id, project_id = excluded.project_id, incident_id = excluded.incident_id,
       source = excluded.source, content_type = excluded.content_type, etag = excluded.etag, body_gzip = excluded.body_gzip, published_at = excluded.published_at`,
    [
      document.path,
      page.id,
      page.projectId,
      document.incident_id,
      document.source,
      document.content_type,
      document.etag,
      document.body_gzip,
      instant(nowMs),
    ],
  );
}

/** Removes what the page no longer has: other slugs, deleted incidents, history pages after the last one. */
export async function deleteOtherDocuments(
  sql: Sql,
  pageId: string,
  slug: string,
  historyPaths: readonly string[],
): Promise<void> {
  await sql.run(
    `delete from published_documents d where d.status_page_id = $1 and (
       (d.path <> $2 and not starts_with(d.path, $2 || '/'))
       or (starts_with(d.path, $2 || '/history') and d.path <> all($3::text[]))
       or (d.incident_id is not null and not exists (select 1 from incidents i where i.id = d.incident_id and i.status_page_id = $1 and i.deleted_at is null)))`,
    [pageId, slug, historyPaths],
  );
}

/** The page is gone for the public; its turn ends with it. */
export async function withdrawPage(sql: Sql, pageId: string): Promise<void> {
  await sql.run('delete from published_documents where status_page_id = $1', [pageId]);
  await sql.run('delete from page_publications where status_page_id = $1', [pageId]);
  await sql.run("select pg_notify('pages', $1)", [pageId]);
}

/** Of one page, or of all. */
export async function listRevisions(sql: Sql, pageId: string | null): Promise<{ id: string; revision: number }[]> {
  return sql.rows(
    'select status_page_id as id, revision from page_publications where $1::text is null or status_page_id = $1',
    [pageId],
  );
}

export async function listEtags(sql: Sql, pageId: string): Promise<{ path: string; etag: string }[]> {
  return sql.rows('select path, etag from published_documents where status_page_id = $1', [pageId]);
}

export async function readDocuments(
  sql: Sql,
  paths: readonly string[],
): Promise<(Pick<DocumentRow, 'path' | 'content_type' | 'etag' | 'body_gzip'> & { page_id: string })[]> {
  return sql.rows(
    'select path, status_page_id as page_id, content_type, etag, body_gzip from published_documents where path = any($1::text[])',
    [paths],
  );
}
