import { newId } from '#shared/ids.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { AccessType } from './access/access.ts';
import type { Locale } from './locale/language.ts';
import { parseLogo } from './logo.ts';
import type { Logo, PageSettings } from './publish/page-model.ts';
import { claimSlug } from './slug-store.ts';
import type { StatusPagePatch, StatusPagePost } from './status-page.ts';

/** A row of `status_pages`. */
export type StatusPageRow = {
  id: string;
  project_id: string;
  name: string;
  slug: string;
  description: string;
  timezone: string;
  theme: PageSettings['theme'];
  history_days: number;
  locale: Locale;
  color: string | null;
  home_url: string | null;
  support_url: string | null;
  logo_width: number | null;
  logo_height: number | null;
  access_type: AccessType;
  access_ranges: string[];
  access_version: number;
  access_changed_at: number | null;
  sealed_access: Buffer | null;
  canonical_domain: string | null;
  created_at: number;
  updated_at: number;
};

/** Without the logo's bytes, which only publishing needs. */
export const statusPageColumns = fragment`
  id, project_id, name, slug, description, timezone, theme, history_days, locale, color, home_url, support_url,
  logo_width, logo_height, access_type, access_ranges, access_version, access_changed_at, sealed_access,
  canonical_domain, created_at, updated_at`;

/** What rendering and notifying need of a page. */
type OwnedPageSettings = PageSettings & { projectId: string };

/** Returns the id of the new page, or null if the slug is another page's, or was lately. */
export async function insertStatusPage(
  sql: Sql,
  projectId: string,
  posted: StatusPagePost & { slug: string },
  nowMs: number,
): Promise<string | null> {
  const now = instant(nowMs);
  const id = newId('sp', nowMs);
  if (!(await claimSlug(sql, posted.slug, { pageId: id, projectId }))) return null;
  const logo = parseLogo(posted.logo ?? '');
  const row = await sql.row<{ id: string }>`
    insert into status_pages
      (id, project_id, name, slug, description, timezone, theme, history_days, locale, color, home_url,
        support_url, logo, logo_type, logo_width, logo_height, created_at, updated_at)
    values (${id}, ${projectId}, ${posted.name}, ${posted.slug}, ${posted.description},
      ${posted.timezone}, ${posted.theme}, ${posted.history_days}, ${posted.locale}, ${posted.color},
      ${posted.home_url}, ${posted.support_url}, ${logo?.bytes ?? null}, ${logo?.contentType ?? null},
      ${logo?.width ?? null}, ${logo?.height ?? null}, ${now}, ${now})
    on conflict (slug) where deleted_at is null do nothing
    returning id`;
  return row?.id ?? null;
}

/** Changes the fields that the patch has. A new slug must have been claimed. */
export async function updateStatusPage(
  sql: Sql,
  projectId: string,
  id: string,
  patch: StatusPagePatch,
  nowMs: number,
): Promise<void> {
  await sql.run`
    update status_pages
    set name = coalesce(${patch.name ?? null}, name),
      slug = coalesce(${patch.slug ?? null}, slug),
      description = coalesce(${patch.description ?? null}, description),
      timezone = coalesce(${patch.timezone ?? null}, timezone),
      theme = coalesce(${patch.theme ?? null}, theme),
      history_days = coalesce(${patch.history_days ?? null}, history_days),
      locale = coalesce(${patch.locale ?? null}, locale),
      color = case when ${patch.color !== undefined} then ${patch.color ?? null} else color end,
      home_url = case when ${patch.home_url !== undefined} then ${patch.home_url ?? null} else home_url end,
      support_url = case when ${patch.support_url !== undefined} then ${patch.support_url ?? null} else support_url end,
      canonical_domain = case
        when ${patch.canonical_domain !== undefined} then ${patch.canonical_domain ?? null}
        else canonical_domain
      end,
      updated_at = ${instant(nowMs)}
    where project_id = ${projectId} and id = ${id} and deleted_at is null`;
}

/** Replaces the logo, or removes it and what visitors load. */
export async function updateLogo(sql: Sql, projectId: string, id: string, dataUrl: string | null): Promise<void> {
  const logo = parseLogo(dataUrl ?? '');
  await sql.run`
    update status_pages
    set logo = ${logo?.bytes ?? null},
      logo_type = ${logo?.contentType ?? null},
      logo_width = ${logo?.width ?? null},
      logo_height = ${logo?.height ?? null}
    where project_id = ${projectId} and id = ${id} and deleted_at is null`;
  if (logo === null) await sql.run`delete from published_documents where status_page_id = ${id} and path like '%/logo'`;
}

export async function readLogo(sql: Sql, id: string): Promise<Logo | null> {
  const row = await sql.row<{ logo: Buffer; logo_type: string }>`
    select logo, logo_type
    from status_pages
    where id = ${id} and logo is not null`;
  return row === null ? null : { contentType: row.logo_type, bytes: row.logo };
}

/** Null if the project has no such page. */
export async function findStatusPage(sql: Sql, projectId: string, id: string): Promise<StatusPageRow | null> {
  return sql.row<StatusPageRow>`
    select ${statusPageColumns}
    from status_pages
    where project_id = ${projectId} and id = ${id} and deleted_at is null`;
}

/** Like `findStatusPage`; locks the row until the end of the transaction. */
export async function lockStatusPage(sql: Sql, projectId: string, id: string): Promise<StatusPageRow | null> {
  return sql.row<StatusPageRow>`
    select ${statusPageColumns}
    from status_pages
    where project_id = ${projectId} and id = ${id} and deleted_at is null
    for update`;
}

/** The settings of a page; null if the project has no such page. */
export async function findPage(sql: Sql, projectId: string, id: string): Promise<OwnedPageSettings | null> {
  const row = await findStatusPage(sql, projectId, id);
  return row === null ? null : toSettings(row);
}

/** The page of any project; null if there is none. */
export async function findPageById(sql: Sql, id: string): Promise<OwnedPageSettings | null> {
  const row = await sql.row<StatusPageRow>`
    select ${statusPageColumns}
    from status_pages
    where id = ${id} and deleted_at is null`;
  return row === null ? null : toSettings(row);
}

/** The page of any project that has or had the slug; null if there is none. */
export async function findPageBySlug(sql: Sql, slug: string): Promise<OwnedPageSettings | null> {
  const row = await sql.row<StatusPageRow>`
    select ${statusPageColumns}
    from status_pages
    where deleted_at is null
      and (slug = ${slug} or id = (select status_page_id from page_slugs where page_slugs.slug = ${slug}))
    order by status_pages.slug = ${slug} desc
    limit 1`;
  return row === null ? null : toSettings(row);
}

/** Newest first, with one row more than the limit if there are more. */
export async function listStatusPages(sql: Sql, projectId: string, page: Page): Promise<StatusPageRow[]> {
  return sql.rows<StatusPageRow>`
    select ${statusPageColumns}
    from status_pages
    where project_id = ${projectId}
      and deleted_at is null
      and ${olderThan(page, fragment`created_at, id`)}
    order by created_at desc, id desc
    limit ${page.limit + 1}`;
}

/** True while components or open incidents belong to the page. */
export async function isInUse(sql: Sql, id: string): Promise<boolean> {
  const row = await sql.row<{ used: boolean }>`
    with page as (select ${id}::text as id)
    select exists (
        select 1
        from components, page
        where components.status_page_id = page.id and components.deleted_at is null
      ) or exists (
        select 1
        from incidents, page
        where incidents.status_page_id = page.id
          and incidents.deleted_at is null
          and incidents.resolved_at is null
      ) as used`;
  return row?.used === true;
}

/** Also erases the page's subscribers. */
export async function markStatusPageDeleted(sql: Sql, id: string, nowMs: number): Promise<void> {
  const now = instant(nowMs);
  await sql.run`delete from subscribers where status_page_id = ${id}`;
  await sql.run`update status_pages set deleted_at = ${now}, updated_at = ${now} where id = ${id}`;
}

export function toSettings(row: StatusPageRow): OwnedPageSettings {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    timezone: row.timezone,
    locale: row.locale,
    theme: row.theme,
    historyDays: row.history_days,
    logo:
      row.logo_width === null || row.logo_height === null ? null : { width: row.logo_width, height: row.logo_height },
    brandColor: row.color,
    homeUrl: row.home_url,
    supportUrl: row.support_url,
    isPrivate: row.access_type !== 'public',
    domain: row.canonical_domain,
  };
}
