import { integerLiteral } from '../../../platform/db/compose-sql.ts';
import { type Fragment, fragment, identifier, instant, type Sql } from '../../../platform/db/sql.ts';
import { lineText } from '../../../platform/markup/escape.ts';
import type { FeedEntry, PageIncident, PageUpdate } from './page-model.ts';
import { shortUpdate } from './shorten.ts';
import { renderedAs } from './text-store.ts';
import type { Texts } from './texts.ts';

/** How much of incidents is read: their latest updates, each in full up to `htmlMax` bytes of HTML. */
type Extent = { updates: number; htmlMax: number; postmortem: boolean };

/** An incident's own page has all of it. */
const everything: Extent = { updates: 500, htmlMax: 10_000_000, postmortem: true };
/** Lists of past incidents show the beginning of the last update. */
const lastExcerpt: Extent = { updates: 1, htmlMax: 0, postmortem: false };
/** What the page, which many incidents share, and feeds show of one text. */
const pageHtmlMax = 16_384;
const openMax = 100;
const recentMax = 50;

type UpdateRow = {
  id: string;
  state: PageIncident['state'];
  body: string;
  posted: number;
  edited: number | null;
  feed: number;
  hash: string;
  /** Null where none is stored, or not from this text. */
  excerpt: string | null;
  /** Null where it is too long, too. */
  html: string | null;
};

type IncidentRow = Omit<
  PageIncident,
  'startedAt' | 'resolvedAt' | 'createdAt' | 'updatedAt' | 'state' | 'updates' | 'postmortemUrl' | 'postmortemBody'
> & {
  started_at: number;
  resolved_at: number | null;
  created_at: number;
  updated_at: number;
  updates: UpdateRow[];
  updates_count: number;
  postmortem_url: string | null;
  postmortem_body: string | null;
  postmortem_hash: string | null;
  postmortem_html: string | null;
};

/** In JSON an instant would become text: it is read in milliseconds. */
const ms = (column: 'posted_at' | 'edited_at' | 'feed_at') =>
  fragment`(extract(epoch from shown.${identifier(column)}) * 1000)::bigint`;
/** A text whose HTML is not current is rendered from all of it; of a long one no more than its beginning is shown. */
const updatesOf = (which: Fragment, { updates, htmlMax }: Extent) => fragment`
  coalesce((
    select json_agg(json_build_object('id', shown.id, 'state', shown.state, 'posted', ${ms('posted_at')},
        'edited', ${ms('edited_at')}, 'feed', ${ms('feed_at')}, 'hash', md5(shown.body), 'excerpt', shown.excerpt,
        'body', case when shown.excerpt is not null and shown.html is null then '' else shown.body end,
        'html', shown.html)
      order by shown.posted_at)
    from (
      select id, state, body, posted_at, edited_at, feed_at,
        case when rendered_as = ${renderedAs(fragment`body`)} then excerpt end as excerpt,
        case
          when rendered_as = ${renderedAs(fragment`body`)}
            and length(html) <= ${integerLiteral(htmlMax)}
            and length(body) <= ${integerLiteral(htmlMax)}
            then html
        end as html
      from incident_updates
      where incident_id = i.id and ${which}
      order by posted_at desc
      limit ${integerLiteral(updates)}
    ) shown
  ), '[]')`;
const postmortem = fragment`
  i.postmortem_body, md5(i.postmortem_body) as postmortem_hash,
  case when i.postmortem_rendered_as = ${renderedAs(fragment`i.postmortem_body`)} then i.postmortem_html end
    as postmortem_html`;
/** Enough to know that there is one. */
const someOfPostmortem = fragment`
  left(i.postmortem_body, 1) as postmortem_body, null as postmortem_hash, null as postmortem_html`;
const incidentColumns = (which: Fragment, extent: Extent) => fragment`
  i.id, i.title, i.severity, i.impact, i.started_at, i.resolved_at, i.created_at, i.updated_at, i.postmortem_url,
  ${extent.postmortem ? postmortem : someOfPostmortem},
  coalesce((
    select json_agg(json_build_object('id', components.id, 'name', components.name)
      order by components.position, components.id)
    from components
    where components.id = any(i.affected_components)
  ), '[]') as components,
  (select count(*) from incident_updates where incident_id = i.id) as updates_count,
  ${updatesOf(which, extent)} as updates`;
const latest = fragment`true`;

/** Open incidents, major impact first, then those resolved after the instant; each latest start first. */
export async function readCurrentIncidents(
  sql: Sql,
  pageId: string,
  resolvedAfterMs: number,
  texts: Texts,
  updates = 20,
): Promise<PageIncident[]> {
  const extent = { updates, htmlMax: pageHtmlMax, postmortem: false };
  const open = await sql.rows<IncidentRow>`
    select ${incidentColumns(latest, extent)}
    from incidents i
    where i.status_page_id = ${pageId} and i.deleted_at is null and i.resolved_at is null
    order by array_position(array['major', 'partial', 'degraded', 'none'], i.impact), i.started_at desc, i.id desc
    limit ${openMax}`;
  const recent = await sql.rows<IncidentRow>`
    select ${incidentColumns(latest, lastExcerpt)}
    from incidents i
    where i.status_page_id = ${pageId} and i.deleted_at is null and i.resolved_at > ${instant(resolvedAfterMs)}
    order by i.started_at desc, i.id desc
    limit ${recentMax}`;
  return [
    ...open.map(row => toIncident(row, extent, texts)),
    ...recent.map(row => toIncident(row, lastExcerpt, texts)),
  ];
}

/** Incidents with everything about them, latest start first. */
export async function readIncidents(sql: Sql, ids: readonly string[], texts: Texts): Promise<PageIncident[]> {
  const rows = await sql.rows<IncidentRow>`
    select ${incidentColumns(latest, everything)}
    from incidents i
    where i.id = any(${ids}::text[])
    order by i.started_at desc, i.id desc`;
  return rows.map(row => toIncident(row, everything, texts));
}

/** Incidents with the beginning of their last update, latest start first. */
export async function readPastIncidents(sql: Sql, ids: readonly string[], texts: Texts): Promise<PageIncident[]> {
  const rows = await sql.rows<IncidentRow>`
    select ${incidentColumns(latest, lastExcerpt)}
    from incidents i
    where i.id = any(${ids}::text[])
    order by i.started_at desc, i.id desc`;
  return rows.map(row => toIncident(row, lastExcerpt, texts));
}

/** The page's latest updates as feeds contain them, newest first, each with its incident. */
export async function readFeedEntries(sql: Sql, pageId: string, limit: number, texts: Texts): Promise<FeedEntry[]> {
  const entries = await sql.rows<{ incident_id: string; update_id: string }>`
    select updates.incident_id, updates.id as update_id
    from incident_updates updates
    join incidents on incidents.id = updates.incident_id
    where updates.status_page_id = ${pageId} and updates.in_feed and incidents.deleted_at is null
    order by updates.feed_at desc, updates.posted_at desc, updates.id desc
    limit ${limit}`;
  const extent = { updates: limit, htmlMax: pageHtmlMax, postmortem: false };
  const wanted = fragment`id = any(${entries.map(entry => entry.update_id)}::text[])`;
  const rows = await sql.rows<IncidentRow>`
    select ${incidentColumns(wanted, extent)}
    from incidents i
    where i.id = any(${[...new Set(entries.map(entry => entry.incident_id))]}::text[])`;
  const incidents = new Map(rows.map(row => [row.id, toIncident(row, extent, texts)]));
  return entries.flatMap(({ incident_id, update_id }) => {
    const incident = incidents.get(incident_id);
    const update = incident?.updates.find(candidate => candidate.id === update_id);
    return incident === undefined || update === undefined ? [] : [{ incident, update }];
  });
}

function toIncident(row: IncidentRow, extent: Extent, texts: Texts): PageIncident {
  const { postmortem_body: postmortem, postmortem_hash: hash } = row;
  return {
    id: row.id,
    title: lineText(row.title),
    severity: row.severity,
    impact: row.impact,
    state: row.updates.at(-1)?.state ?? 'investigating',
    startedAt: row.started_at,
    resolvedAt: row.resolved_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    components: row.components.map(({ id, name }) => ({ id, name: lineText(name) })),
    updates: row.updates.map(update => toUpdate(update, extent, texts)),
    earlierUpdates: row.updates_count - row.updates.length,
    postmortemUrl: row.postmortem_url,
    postmortemBody: postmortem,
    ...(postmortem !== null &&
      hash !== null && {
        postmortemHtml: row.postmortem_html ?? texts.render('postmortem', row.id, hash, postmortem).html,
      }),
  };
}

function toUpdate(row: UpdateRow, { htmlMax }: Extent, texts: Texts): PageUpdate {
  const { posted, edited, feed, hash, html, excerpt, ...update } = row;
  const rendered = excerpt === null ? texts.render('update', row.id, hash, row.body) : { excerpt, html: html ?? '' };
  const read = { ...update, rendered, postedAt: posted, editedAt: edited, feedAt: feed };
  const fits = excerpt === null ? Math.max(rendered.html.length, row.body.length) <= htmlMax : html !== null;
  return fits ? read : shortUpdate(read);
}
