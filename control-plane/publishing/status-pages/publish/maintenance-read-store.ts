import { type Automatic, endOf } from '../../../monitoring/maintenances/automatic.ts';
import { shownUpdateState, type UpdateState } from '../../../monitoring/maintenances/maintenance.ts';
import { stateOf } from '../../../monitoring/maintenances/occurrences/store.ts';
import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { lineText } from '../../../platform/markup/escape.ts';
import { unformatted } from '../../../platform/markup/markdown.ts';
import type { RenderedText } from '../../../platform/markup/rendered-text.ts';
import { fill, languageOf } from '../locale/language.ts';
import { timesIn } from '../locale/times.ts';
import type { MaintenanceUpdate, PageMaintenance, PageSettings } from './page-model.ts';
import { renderedAs } from './text-store.ts';
import type { Texts } from './texts.ts';

const shownMax = 40;
const updatesMax = 20;

type UpdateRow = {
  id: string;
  state: UpdateState;
  automatic: Automatic | null;
  body: string;
  hash: string;
  posted: number;
  edited: number | null;
  feed: number;
  html: string | null;
  excerpt: string | null;
};

type Row = {
  id: string;
  maintenance_id: string;
  title: string;
  starts_at: number;
  ends_at: number;
  cancelled_at: number | null;
  created_at: number;
  updated_at: number;
  description: string;
  description_hash: string;
  description_html: string | null;
  description_excerpt: string | null;
  components: { id: string; name: string }[];
  updates: UpdateRow[];
};

const ms = (column: ReturnType<typeof fragment>) => fragment`(extract(epoch from ${column}) * 1000)::bigint`;

/** Columns of a Row, of the occurrence `o` of `m` as the page `p` shows it. */
const columns = fragment`
  o.id, m.id as maintenance_id, m.title, o.starts_at, o.ends_at, o.cancelled_at, m.created_at, m.updated_at,
  m.description, md5(m.description) as description_hash,
  case when m.description_rendered_as = ${renderedAs(fragment`m.description`)} then m.description_html end
    as description_html,
  case when m.description_rendered_as = ${renderedAs(fragment`m.description`)} then m.description_excerpt end
    as description_excerpt,
  coalesce((
    select json_agg(json_build_object('id', c.id, 'name', c.name) order by c.position, c.id)
    from components c
    where c.status_page_id = p.id
      and c.deleted_at is null
      and c.id = any(m.component_ids)
      and not p.id = any(m.status_page_ids)
  ), '[]') as components,
  coalesce((
    select json_agg(json_build_object('id', u.id, 'state', u.state, 'automatic', u.automatic, 'body', u.body,
        'hash', md5(u.body), 'posted', ${ms(fragment`u.posted_at`)}, 'edited', ${ms(fragment`u.edited_at`)},
        'feed', ${ms(fragment`u.feed_at`)}, 'html', u.html, 'excerpt', u.excerpt)
      order by u.posted_at)
    from (
      select id, state, automatic, body, posted_at, edited_at, feed_at,
        case when rendered_as = ${renderedAs(fragment`body`)} then html end as html,
        case when rendered_as = ${renderedAs(fragment`body`)} then excerpt end as excerpt
      from maintenance_updates
      where occurrence_id = o.id
      order by posted_at desc
      limit ${updatesMax}
    ) u
  ), '[]') as updates`;

/** Occurrences `o` of maintenances `m` that the page `p` announces. */
const announced = (pageId: string) => fragment`
  status_pages p
  join maintenances m on m.project_id = p.project_id and m.announced and m.deleted_at is null
  join maintenance_occurrences o on o.maintenance_id = m.id
  where p.id = ${pageId}
    and (
      p.id = any(m.status_page_ids)
      or exists (
        select
        from components c
        where c.status_page_id = p.id and c.deleted_at is null and c.id = any(m.component_ids)
      )
    )`;

/** The windows that a page shows at an instant: in progress, upcoming, and over or cancelled for less than `pastMs`. */
export async function readMaintenances(
  sql: Sql,
  page: PageSettings,
  { nowMs, pastMs }: { nowMs: number; pastMs: number },
  texts: Texts,
): Promise<PageMaintenance[]> {
  const now = instant(nowMs);
  const rows = await sql.rows<Row>`
    select ${columns}
    from ${announced(page.id)}
      and o.starts_at - m.announce_before_hours * interval '1 hour' <= ${now}
      and o.ends_at > ${instant(nowMs - pastMs)}
    order by (o.ends_at <= ${now} or o.cancelled_at is not null), o.starts_at > ${now},
      case when o.ends_at <= ${now} or o.cancelled_at is not null then -extract(epoch from o.starts_at)
        else extract(epoch from o.starts_at) end,
      o.id
    limit ${shownMax}`;
  return rows.map(row => toMaintenance(row, page, nowMs, texts));
}

/** The page's latest updates of windows, newest first, each with its window. */
export async function readMaintenanceEntries(
  sql: Sql,
  page: PageSettings,
  { nowMs, limit }: { nowMs: number; limit: number },
  texts: Texts,
): Promise<{ maintenance: PageMaintenance; update: MaintenanceUpdate }[]> {
  const rows = await sql.rows<Row>`
    select ${columns}
    from ${announced(page.id)}
      and exists (select from maintenance_updates posted where posted.occurrence_id = o.id)
    order by o.starts_at desc, o.id desc
    limit ${limit}`;
  return rows
    .flatMap(row => {
      const maintenance = toMaintenance(row, page, nowMs, texts);
      return maintenance.updates.map(update => ({ maintenance, update }));
    })
    .sort((left, right) => right.update.feedAt - left.update.feedAt)
    .slice(0, limit);
}

function toMaintenance(row: Row, page: PageSettings, nowMs: number, texts: Texts): PageMaintenance {
  const { description_html: html, description_excerpt: excerpt } = row;
  const stored = html === null || excerpt === null ? null : { html, excerpt };
  const isDescribed = row.description.trim() !== '';
  return {
    id: row.id,
    title: lineText(row.title),
    state: stateOf(row, nowMs),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    description: isDescribed
      ? (stored ?? texts.render('maintenance', row.maintenance_id, row.description_hash, row.description))
      : null,
    components: row.components.map(({ id, name }) => ({ id, name: lineText(name) })),
    updates: row.updates.map(update => toUpdate(update, row.cancelled_at, page, texts)),
  };
}

function toUpdate(row: UpdateRow, cancelledAt: number | null, page: PageSettings, texts: Texts): MaintenanceUpdate {
  const { id, html, excerpt } = row;
  const state = shownUpdateState(row.state, row.posted, cancelledAt);
  const times = { postedAt: row.posted, editedAt: row.edited, feedAt: row.feed };
  if (row.automatic !== null) {
    const body = localText(row.automatic, row.body, page);
    return { id, state, body, rendered: ownText(body), ...times };
  }
  const rendered = html === null || excerpt === null ? null : { html, excerpt };
  return {
    id,
    state,
    body: row.body,
    rendered: rendered ?? texts.render('maintenance_update', id, row.hash, row.body),
    ...times,
  };
}

/** A text of ours in the language of the page. */
export function localText(automatic: Automatic, body: string, page: Pick<PageSettings, 'locale' | 'timezone'>): string {
  const language = languageOf(page.locale);
  const end = endOf(body);
  const time = end === null ? '' : timesIn(page.timezone, language).text(end);
  return fill(language.words.maintenance.automatic[automatic], { time });
}

/** Without Markdown: nothing in it is a customer's. */
function ownText(text: string): RenderedText {
  return { html: unformatted(text), excerpt: text };
}
