import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { PageSettings } from './page-model.ts';
import { pageUrl, type StatusPagePatch, type StatusPagePost } from './status-page.ts';

export type StatusPageRow = {
  id: string;
  project_id: string;
  name: string;
  slug: string;
  description: string;
  timezone: string;
  theme: PageSettings['theme'];
  history_days: number;
  created_at: number;
  updated_at: number;
};

/** Null when the slug is taken, by whomever. */
export async function insertStatusPage(
  sql: Sql,
  projectId: string,
  posted: StatusPagePost & { slug: string },
  nowMs: number,
): Promise<string | null> {
  const row = await sql.row<{ id: string }>(
    `insert into status_pages (id, project_id, name, slug, description, timezone, theme, history_days, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) on conflict (slug) where deleted_at is null do nothing returning id`,
    [
      newId('sp', nowMs),
      projectId,
      posted.name,
      posted.slug,
      posted.description,
      posted.timezone,
      posted.theme,
      posted.history_days,
      instant(nowMs),
    ],
  );
  return row?.id ?? null;
}

/** False when there is no such page. A slug that is taken breaks the unique index `status_pages_slug`. */
export async function updateStatusPage(
  sql: Sql,
  projectId: string,
  id: string,
  patch: StatusPagePatch,
  nowMs: number,
): Promise<boolean> {
  const count = await sql.run(
    `update status_pages set name = coalesce($3, name), slug = coalesce($4, slug), description = coalesce($5, description),
       timezone = coalesce($6, timezone), theme = coalesce($7, theme), history_days = coalesce($8, history_days), updated_at = $9
     where project_id = $1 and id = $2 and deleted_at is null`,
    [
      projectId,
      id,
      patch.name ?? null,
      patch.slug ?? null,
      patch.description ?? null,
      patch.timezone ?? null,
      patch.theme ?? null,
      patch.history_days ?? null,
      instant(nowMs),
    ],
  );
  return count === 1;
}

export async function findStatusPage(sql: Sql, projectId: string, id: string): Promise<StatusPageRow | null> {
  return sql.row<StatusPageRow>('select * from status_pages where project_id = $1 and id = $2 and deleted_at is null', [
    projectId,
    id,
  ]);
}

export async function lockStatusPage(sql: Sql, projectId: string, id: string): Promise<StatusPageRow | null> {
  return sql.row<StatusPageRow>(
    'select * from status_pages where project_id = $1 and id = $2 and deleted_at is null for update',
    [projectId, id],
  );
}

/** A page of the project, as what visitors see needs it. */
export async function findPage(
  sql: Sql,
  projectId: string,
  id: string,
): Promise<(PageSettings & { projectId: string }) | null> {
  const row = await findStatusPage(sql, projectId, id);
  return row === null ? null : toSettings(row);
}

/** The page that has the slug now, of whatever project. */
export async function findPageBySlug(sql: Sql, slug: string): Promise<(PageSettings & { projectId: string }) | null> {
  const row = await sql.row<StatusPageRow>('select * from status_pages where slug = $1 and deleted_at is null', [slug]);
  return row === null ? null : toSettings(row);
}

/** Newest first. */
export async function listStatusPages(sql: Sql, projectId: string, page: Page): Promise<StatusPageRow[]> {
  return sql.rows<StatusPageRow>(
    `select * from status_pages where project_id = $1 and deleted_at is null and ($2::timestamptz is null or (created_at, id) < ($2, $3))
     order by created_at desc, id desc limit $4`,
    [projectId, instant(page.after?.[0] ?? null), page.after?.[1] ?? null, page.limit + 1],
  );
}

/** True while components or open incidents belong to the page. */
export async function isInUse(sql: Sql, id: string): Promise<boolean> {
  return (
    (await sql.row(
      `select 1 where exists (select 1 from components where status_page_id = $1 and deleted_at is null)
         or exists (select 1 from incidents where status_page_id = $1 and deleted_at is null and resolved_at is null)`,
      [id],
    )) !== null
  );
}

/** Who subscribed is forgotten with the page. */
export async function markStatusPageDeleted(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run('delete from subscribers where status_page_id = $1', [id]);
  await sql.run('update status_pages set deleted_at = $2, updated_at = $2 where id = $1', [id, instant(nowMs)]);
}

export function viewStatusPage(row: StatusPageRow, baseUrl: string) {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    timezone: row.timezone,
    theme: row.theme,
    history_days: row.history_days,
    url: pageUrl(baseUrl, row.slug),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

export function toSettings(row: StatusPageRow): PageSettings & { projectId: string } {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    timezone: row.timezone,
    theme: row.theme,
    historyDays: row.history_days,
  };
}
