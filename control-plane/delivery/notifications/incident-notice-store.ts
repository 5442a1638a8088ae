import type { Impact, IncidentState } from '#shared/vocabulary.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { renderedAs } from '../../platform/markup/rendered-store.ts';
import type { Locale } from '../../publishing/status-pages/locale/language.ts';
import type { IncidentNotice } from './incident-notice.ts';

type NoticeRow = {
  update_id: string;
  state: IncidentState;
  body: string;
  posted_at: number;
  html: string | null;
  excerpt: string | null;
  incident_id: string;
  title: string;
  impact: Impact;
  started_at: number;
  resolved_at: number | null;
  components: { id: string; name: string }[];
  page_id: string;
  page_name: string;
  slug: string;
  domain: string | null;
  timezone: string;
  locale: Locale;
};

/** Columns of a NoticeRow. */
const columns = fragment`
  u.id as update_id, u.state, u.body, u.posted_at,
  case when u.rendered_as = ${renderedAs(fragment`u.body`)} then u.html end as html,
  case when u.rendered_as = ${renderedAs(fragment`u.body`)} then u.excerpt end as excerpt,
  i.id as incident_id, i.title, i.impact, i.started_at, i.resolved_at,
  coalesce(
    (
      select json_agg(json_build_object('id', c.id, 'name', c.name) order by c.position, c.id)
      from components c
      where c.id = any(i.affected_components)
    ),
    '[]'
  ) as components,
  p.id as page_id, p.name as page_name, p.slug, p.canonical_domain as domain, p.timezone, p.locale`;

/** Notices by the id of their update, without those whose incident or page was deleted. */
export async function readNotices(sql: Sql, updateIds: readonly string[]): Promise<Map<string, IncidentNotice>> {
  if (updateIds.length === 0) return new Map();
  const rows = await sql.rows<NoticeRow>`
    select ${columns}
    from incident_updates u
    join incidents i on i.id = u.incident_id
    join status_pages p on p.id = i.status_page_id
    where u.id = any(${updateIds}::text[])
      and i.deleted_at is null
      and p.deleted_at is null`;
  return new Map(rows.map(row => [row.update_id, toNotice(row)]));
}

function toNotice(row: NoticeRow): IncidentNotice {
  const { html, excerpt, slug, domain, timezone, locale } = row;
  const rendered = html === null || excerpt === null ? null : { html, excerpt };
  return {
    update: { id: row.update_id, state: row.state, body: row.body, postedAt: row.posted_at, rendered },
    incident: {
      id: row.incident_id,
      title: row.title,
      impact: row.impact,
      startedAt: row.started_at,
      resolvedAt: row.resolved_at,
      components: row.components,
    },
    page: { id: row.page_id, name: row.page_name, slug, domain, timezone, locale },
  };
}
