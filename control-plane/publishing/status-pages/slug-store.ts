import { instant, type Sql } from '../../platform/db/sql.ts';

/** Slugs that one project may have left within that time: each is taken from everybody else. */
const leftMax = 200;

type Owner = { pageId: string; projectId: string };

/**
 * Takes a slug for a page. False if another page has it or had it lately; a slug of a deleted page can be taken by
 * another page of the same project.
 */
export async function claimSlug(sql: Sql, slug: string, { pageId, projectId }: Owner): Promise<boolean> {
  const count = await sql.run`
    insert into page_slugs as taken (slug, status_page_id, project_id)
    values (${slug}, ${pageId}, ${projectId})
    on conflict (slug) do update set status_page_id = excluded.status_page_id, left_at = null
    where taken.project_id = excluded.project_id
      and (
        taken.status_page_id = excluded.status_page_id
        or not exists (select from status_pages where id = taken.status_page_id and deleted_at is null)
      )`;
  return count === 1;
}

/** Notes that the page has these slugs no longer; all but one when it has another now. */
export async function leaveSlugs(sql: Sql, pageId: string, current: string | null, nowMs: number): Promise<void> {
  await sql.run`
    update page_slugs
    set left_at = ${instant(nowMs)}
    where status_page_id = ${pageId} and left_at is null and slug is distinct from ${current}`;
}

/** Whether the project has left as many slugs within a year as it may. */
export async function hasLeftTooMany(sql: Sql, projectId: string): Promise<boolean> {
  const row = await sql.row<{ count: number }>`
    select count(*)
    from page_slugs
    where project_id = ${projectId} and left_at is not null`;
  return (row?.count ?? 0) >= leftMax;
}

/** Slugs that lead to the page's present one. */
export async function listFormerSlugs(sql: Sql, pageId: string): Promise<string[]> {
  const rows = await sql.rows<{ slug: string }>`
    select slug
    from page_slugs
    where status_page_id = ${pageId} and left_at is not null`;
  return rows.map(row => row.slug);
}

/** Sets slugs free that were left a year ago, with what leads from them to their page. */
export async function releaseSlugs(sql: Sql, nowMs: number): Promise<void> {
  await sql.run`
    with released as (
      delete from page_slugs
      where left_at < ${instant(nowMs)}::timestamptz - interval '365 days'
      returning slug
    )
    delete from published_documents
    using released
    where path = released.slug and starts_with(content_type, 'redirect:')`;
}
