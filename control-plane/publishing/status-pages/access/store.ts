import { minuteMs } from '#shared/duration.ts';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { Addressed } from '../hosts/own-address.ts';
import { gatePath } from '../serve/document-names.ts';
import type { PageAccess } from './secrets.ts';

/** Writes another access; what earlier versions gave out is void. */
export async function updateAccess(
  sql: Sql,
  pageId: string,
  { type, ranges, sealed }: Pick<PageAccess, 'type' | 'ranges'> & { sealed: Uint8Array | null },
  nowMs: number,
): Promise<void> {
  const now = instant(nowMs);
  await sql.run`
    update status_pages
    set access_type = ${type},
      access_ranges = ${ranges}::text[],
      access_version = access_version + 1,
      access_changed_at = ${now},
      sealed_access = ${sealed},
      updated_at = ${now}
    where id = ${pageId}`;
}

/** Gives the documents of a page that became private names that no request can have. Its redirects are deleted. */
export async function hideDocuments(sql: Sql, pageId: string): Promise<void> {
  await sql.run`
    delete from published_documents
    where status_page_id = ${pageId} and starts_with(content_type, 'redirect:')`;
  await sql.run`
    update published_documents
    set path = split_part(path, '/', 1) || '/ ' || substr(path, length(split_part(path, '/', 1)) + 2)
    where status_page_id = ${pageId} and position(' ' in path) = 0`;
}

/** Gives the documents of a page that became public the names that visitors ask for, and deletes its gate. */
export async function showDocuments(sql: Sql, pageId: string, slug: string): Promise<void> {
  await sql.run`delete from published_documents where status_page_id = ${pageId} and path = ${gatePath(slug)}`;
  await sql.run`
    update published_documents
    set path = rtrim(split_part(path, '/', 1) || '/' || substr(path, length(split_part(path, '/', 1)) + 3), '/')
    where status_page_id = ${pageId} and position('/ ' in path) > 0`;
}

/** The members whose cookies count, and since when. The project must be locked. */
export async function listAdmitted(sql: Sql, projectId: string): Promise<[string, number][]> {
  const rows = await sql.rows<{ id: string; since: number }>`
    select person_id as id, greatest(joined_at, signed_out_at) as since
    from members
    where project_id = ${projectId} and not resting
    order by person_id`;
  return rows.map(({ id, since }) => [id, since]);
}

/** The pages of projects that their members may see. */
export async function listMembersPages(
  sql: Sql,
  projectIds: readonly string[],
): Promise<{ id: string; project_id: string }[]> {
  return sql.rows<{ id: string; project_id: string }>`
    select id, project_id
    from status_pages
    where project_id = any(${projectIds}) and access_type = 'members' and deleted_at is null
    order by id`;
}

/** A page for members, if the person is one; else null. */
export async function findPageOfMember(
  sql: Sql,
  pageId: string,
  personId: string,
): Promise<(Addressed & { version: number }) | null> {
  return sql.row<Addressed & { version: number }>`
    select p.slug, p.canonical_domain as domain, p.access_version as version
    from status_pages p
    join members m on m.project_id = p.project_id
    where p.id = ${pageId} and p.access_type = 'members' and p.deleted_at is null
      and m.person_id = ${personId} and not m.resting`;
}

/** How many get updates of the page. */
export async function countSubscribers(sql: Sql, pageId: string): Promise<number> {
  const row = await sql.row<{ count: number }>`
    select count(*)
    from subscribers
    where status_page_id = ${pageId} and state in ('active', 'pending')`;
  return row?.count ?? 0;
}

/**
 * Makes what earlier versions gave out void, also what versions did that a backup does not know: no page changes its
 * access once a minute.
 */
export async function raiseVersion(sql: Sql, pageId: string, nowMs: number): Promise<void> {
  await sql.run`
    update status_pages
    set access_version = greatest(access_version + 1, ${Math.floor(nowMs / minuteMs)})
    where id = ${pageId}`;
}

/** The next private pages, in the order of their ids; all without a limit. */
export async function listSealedAfter(
  sql: Sql,
  after: string,
  limit: number | null,
): Promise<{ id: string; project_id: string }[]> {
  return sql.rows<{ id: string; project_id: string }>`
    select id, project_id
    from status_pages
    where id > ${after} and access_type <> 'public' and deleted_at is null
    order by id
    limit ${limit}`;
}

export async function replaceSealedAccess(sql: Sql, pageId: string, sealed: Uint8Array): Promise<void> {
  await sql.run`update status_pages set sealed_access = ${sealed} where id = ${pageId}`;
}
