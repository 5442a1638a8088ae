import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { documentFolder, documentPath, type Named } from '../serve/document-names.ts';

/**
 * A document as it is stored. `source` identifies the rows it was rendered from; empty: rendered at every publication.
 */
export type DocumentRow = {
  path: string;
  incident_id: string | null;
  source: string;
  content_type: string;
  etag: string;
  body_gzip: Buffer;
};

/** The columns of a document that are served. */
const servedColumns = fragment`path, status_page_id as page_id, content_type, etag, published_at, body_gzip`;
export type ServedRow = Pick<DocumentRow, 'path' | 'content_type' | 'etag' | 'body_gzip'> & {
  page_id: string;
  published_at: number;
};

export type IncidentSource = { incident_id: string; source: string; open: boolean; published: string | null };

/**
 * For each incident of the page the state its document should be rendered from, and the state it was rendered from
 * (null: never). Documents are rendered again only where these differ; times of two replicas' clocks are never
 * compared. Of components only the names are shown, of those that are affected.
 */
export async function listSources(sql: Sql, pageId: string): Promise<IncidentSource[]> {
  return sql.rows<IncidentSource>`
    select incidents.id as incident_id,
      concat_ws(' ', incidents.updated_at, status_pages.updated_at, (
        select md5(string_agg(components.name, ',' order by components.position, components.id))
        from components
        where components.id = any(incidents.affected_components)
      )) as source,
      incidents.resolved_at is null as open,
      published_documents.source as published
    from incidents
    join status_pages on status_pages.id = incidents.status_page_id
    left join published_documents on published_documents.status_page_id = incidents.status_page_id
      and published_documents.incident_id = incidents.id
    where incidents.status_page_id = ${pageId} and incidents.deleted_at is null
    order by incidents.started_at desc, incidents.id desc`;
}

/** Sources of the page's history documents by their paths. */
export async function listHistorySources(sql: Sql, pageId: string): Promise<Map<string, string>> {
  const rows = await sql.rows<{ path: string; source: string }>`
    select path, source
    from published_documents
    where status_page_id = ${pageId} and incident_id is null and source <> ''`;
  return new Map(rows.map(row => [row.path, row.source]));
}

/** Leaves a document as it is, with its date, if nothing about it changed. */
export async function saveDocument(
  sql: Sql,
  page: { id: string; projectId: string },
  document: DocumentRow,
  nowMs: number,
): Promise<void> {
  await sql.run`
    insert into published_documents as current
      (path, status_page_id, project_id, incident_id, source, content_type, etag, body_gzip, published_at)
    values (${document.path}, ${page.id}, ${page.projectId}, ${document.incident_id}, ${document.source},
      ${document.content_type}, ${document.etag}, ${document.body_gzip}, ${instant(nowMs)})
    on conflict (path) do update set
      status_page_id = excluded.status_page_id,
      project_id = excluded.project_id,
      incident_id = excluded.incident_id,
      source = excluded.source,
      content_type = excluded.content_type,
      etag = excluded.etag,
      body_gzip = excluded.body_gzip,
      published_at = case when current.etag = excluded.etag then current.published_at else excluded.published_at end
    where (current.status_page_id, current.source, current.content_type, current.etag)
      is distinct from (excluded.status_page_id, excluded.source, excluded.content_type, excluded.etag)`;
}

/** Deletes what the page no longer has: pages under earlier slugs, deleted incidents, former pages of the history. */
export async function deleteOtherDocuments(
  sql: Sql,
  pageId: string,
  page: Named,
  historyPaths: readonly string[],
): Promise<void> {
  const { isPrivate = false } = page;
  await sql.run`
    with page as (
      select ${pageId}::text as id, ${documentPath(page)}::text as path, ${documentFolder(page)}::text as folder
    )
    delete from published_documents document
    using page
    where document.status_page_id = page.id
      and (
        (position(' ' in document.path) > 0) <> ${isPrivate}
        or (
          document.path <> page.path
          and not starts_with(document.path, page.folder)
          and not exists (
            select
            from page_slugs
            where slug = document.path and status_page_id = page.id and left_at is not null
          )
        )
        or (starts_with(document.path, page.folder || 'history') and document.path <> all(${historyPaths}::text[]))
        or (starts_with(document.path, page.folder || 'maintenances/') and not exists (
          select
          from maintenance_occurrences o
          join maintenances m on m.id = o.maintenance_id and m.deleted_at is null and m.announced
          where o.id = split_part(document.path, '/', 3)
        ))
        or (document.incident_id is not null and not exists (
          select 1
          from incidents
          where id = document.incident_id and status_page_id = page.id and deleted_at is null
        ))
      )`;
}

/**
 * Moves the page's documents to a new slug, so that it is served there before it is rendered again. What a former page
 * of the project had there is deleted.
 */
export async function moveDocuments(sql: Sql, pageId: string, slug: string): Promise<void> {
  await sql.run`delete from published_documents where path = ${slug} or starts_with(path, ${slug}::text || '/')`;
  await sql.run`
    update published_documents
    set path = ${slug}::text || substr(path, length(split_part(path, '/', 1)) + 1)
    where status_page_id = ${pageId} and not starts_with(content_type, 'redirect:')`;
}

/** What a page has, without the bodies. `bytes` is the length of the compressed body. */
type ListedDocument = { path: string; content_type: string; etag: string; bytes: number };

export async function listDocuments(sql: Sql, pageId: string): Promise<ListedDocument[]> {
  return sql.rows<ListedDocument>`
    select path, content_type, etag, length(body_gzip) as bytes
    from published_documents
    where status_page_id = ${pageId}`;
}

export async function readDocuments(sql: Sql, paths: readonly string[]): Promise<ServedRow[]> {
  return sql.rows<ServedRow>`
    select ${servedColumns}
    from published_documents
    where path = any(${paths}::text[])`;
}

/** The page that has a document at this path; null if there is none. */
export async function findPageOfPath(sql: Sql, path: string): Promise<string | null> {
  const row = await sql.row<{ id: string }>`
    select status_page_id as id
    from published_documents
    where path = ${path}`;
  return row?.id ?? null;
}

/** Makes the transaction see one state of the database. Call it first. */
export async function beginSnapshot(sql: Sql): Promise<void> {
  await sql.run`set transaction isolation level repeatable read, read only`;
}

/** Revisions of one page, or of all if `pageId` is null. */
export async function listRevisions(sql: Sql, pageId: string | null): Promise<{ id: string; revision: number }[]> {
  return sql.rows<{ id: string; revision: number }>`
    with wanted as (select ${pageId}::text as id)
    select status_page_id as id, revision
    from page_publications, wanted
    where wanted.id is null or status_page_id = wanted.id`;
}
