import type { Automatic } from '../../monitoring/maintenances/automatic.ts';
import { shownUpdateState, type UpdateState } from '../../monitoring/maintenances/maintenance.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { renderedAs } from '../../platform/markup/rendered-store.ts';
import type { Locale } from '../../publishing/status-pages/locale/language.ts';
import { localText } from '../../publishing/status-pages/publish/maintenance-read-store.ts';
import type { MaintenanceNotice } from './maintenance-notice.ts';

type NoticeRow = {
  update_id: string;
  state: UpdateState;
  automatic: Automatic | null;
  body: string;
  posted_at: number;
  html: string | null;
  excerpt: string | null;
  occurrence_id: string;
  cancelled_at: number | null;
  title: string;
  starts_at: number;
  ends_at: number;
  components: { id: string; name: string }[];
  page_id: string;
  page_name: string;
  slug: string;
  domain: string | null;
  timezone: string;
  locale: Locale;
};

/** The key of a notice: the same update looks different on each page. */
export function noticeKey(updateId: string, pageId: string): string {
  return `${updateId} ${pageId}`;
}

/** Notices by `noticeKey`, without those whose maintenance or page was deleted. */
export async function readMaintenanceNotices(
  sql: Sql,
  updateIds: readonly string[],
): Promise<Map<string, MaintenanceNotice>> {
  if (updateIds.length === 0) return new Map();
  const rows = await sql.rows<NoticeRow>`
    select
      u.id as update_id, u.state, u.automatic, u.body, u.posted_at,
      case when u.rendered_as = ${renderedAs(fragment`u.body`)} then u.html end as html,
      case when u.rendered_as = ${renderedAs(fragment`u.body`)} then u.excerpt end as excerpt,
      o.id as occurrence_id, o.cancelled_at, m.title, o.starts_at, o.ends_at,
      coalesce(
        (
          select json_agg(json_build_object('id', c.id, 'name', c.name) order by c.position, c.id)
          from components c
          where c.status_page_id = p.id
            and c.id = any(m.component_ids)
            and not p.id = any(m.status_page_ids)
        ),
        '[]'
      ) as components,
      p.id as page_id, p.name as page_name, p.slug, p.canonical_domain as domain, p.timezone, p.locale
    from maintenance_updates u
    join maintenance_occurrences o on o.id = u.occurrence_id
    join maintenances m on m.id = u.maintenance_id
    join status_pages p on p.project_id = m.project_id
      and (
        p.id = any(m.status_page_ids)
        or exists (select from components c where c.status_page_id = p.id and c.id = any(m.component_ids))
      )
    where u.id = any(${updateIds}::text[])
      and m.deleted_at is null
      and p.deleted_at is null`;
  return new Map(rows.map(row => [noticeKey(row.update_id, row.page_id), toNotice(row)]));
}

function toNotice(row: NoticeRow): MaintenanceNotice {
  const { html, excerpt, automatic } = row;
  const { slug, domain, timezone, locale } = row;
  const page = { id: row.page_id, name: row.page_name, slug, domain, timezone, locale };
  const isStored = automatic === null && html !== null && excerpt !== null;
  return {
    update: {
      id: row.update_id,
      state: shownUpdateState(row.state, row.posted_at, row.cancelled_at),
      body: automatic === null ? row.body : localText(automatic, row.body, page),
      postedAt: row.posted_at,
      rendered: isStored ? { html, excerpt } : null,
    },
    maintenance: {
      id: row.occurrence_id,
      title: row.title,
      startsAt: row.starts_at,
      endsAt: row.ends_at,
      components: row.components,
    },
    page,
  };
}
