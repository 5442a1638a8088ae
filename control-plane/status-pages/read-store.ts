import type { ComponentStatus } from '../components/status.ts';
import { instant, type Sql } from '../db/sql.ts';
import { stateOf } from '../incidents/store.ts';
import type { Verdict } from '../monitors/state.ts';
import type { Row } from '../uptime/uptime.ts';
import type { PageIncident } from './page-model.ts';

/** What a page is made of. Instants within json are milliseconds since the epoch. */

export type ComponentFacts = {
  id: string;
  name: string;
  description: string;
  group_name: string | null;
  position: number;
  status: ComponentStatus;
  show_uptime: boolean;
  created_at: number;
  updated_at: number;
  monitors: { id: string; verdict: Verdict }[];
};

export async function readComponents(sql: Sql, pageId: string): Promise<ComponentFacts[]> {
  return sql.rows<ComponentFacts>(
    `select c.id, c.name, c.description, c.group_name, c.position, c.status, c.show_uptime, c.created_at, c.updated_at,
       coalesce((select json_agg(json_build_object('id', s.monitor_id, 'verdict', s.verdict) order by s.monitor_id)
         from component_monitors b join monitor_states s on s.monitor_id = b.monitor_id where b.component_id = c.id and not s.deleted), '[]') as monitors
     from components c where c.status_page_id = $1 and c.deleted_at is null order by c.position, c.created_at, c.id`,
    [pageId],
  );
}

/** Verdict rows of many monitors that hold at `fromMs` or start later, in order. */
export async function readTimelines(
  sql: Sql,
  monitorIds: readonly string[],
  fromMs: number,
): Promise<Map<string, Row[]>> {
  const rows = await sql.rows<{ monitor_id: string; since: number; verdict: Verdict }>(
    `select v.monitor_id, v.since, v.verdict from unnest($1::text[]) as wanted (id) cross join lateral (
       select monitor_id, since, verdict from verdict_changes where monitor_id = wanted.id and since >= coalesce(
         (select max(since) from verdict_changes where monitor_id = wanted.id and since <= $2), $2) order by since) v`,
    [monitorIds, instant(fromMs)],
  );
  const timelines = new Map<string, Row[]>(monitorIds.map(id => [id, []]));
  for (const { monitor_id, since, verdict } of rows) timelines.get(monitor_id)?.push({ since, verdict });
  return timelines;
}

type IncidentFacts = {
  id: string;
  title: string;
  severity: PageIncident['severity'];
  impact: PageIncident['impact'];
  state: PageIncident['state'];
  started_at: number;
  resolved_at: number | null;
  created_at: number;
  updated_at: number;
  components: { id: string; name: string }[];
  updates: {
    id: string;
    state: PageIncident['state'];
    body: string;
    posted: number;
    edited: number | null;
    feed: number;
  }[];
  postmortem_url: string | null;
  postmortem_body: string | null;
};

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;
const incidents = `select i.id, i.title, i.severity, i.impact, ${stateOf} as state, i.started_at, i.resolved_at, i.created_at, i.updated_at,
  i.postmortem_url, i.postmortem_body,
  coalesce((select json_agg(json_build_object('id', c.id, 'name', c.name) order by c.position, c.id) from components c where c.id = any(i.affected_components)), '[]') as components,
  coalesce((select json_agg(json_build_object('id', u.id, 'state', u.state, 'body', u.body, 'posted', ${ms('u.posted_at')}, 'edited', ${ms('u.edited_at')},
    'feed', ${ms('u.feed_at')}) order by u.posted_at) from incident_updates u where u.incident_id = i.id), '[]') as updates
  from incidents i`;

/** Open ones, and those resolved after the instant, at most 50; latest start first. */
export async function readCurrentIncidents(sql: Sql, pageId: string, resolvedAfterMs: number): Promise<PageIncident[]> {
  const rows = await sql.rows<IncidentFacts>(
    `${incidents} where i.status_page_id = $1 and i.deleted_at is null and (i.resolved_at is null or i.resolved_at > $2)
     order by i.started_at desc, i.id desc limit 50`,
    [pageId, instant(resolvedAfterMs)],
  );
  return rows.map(toIncident);
}

/** Incidents by their ids, latest start first. */
export async function readIncidents(sql: Sql, ids: readonly string[]): Promise<PageIncident[]> {
  const rows = await sql.rows<IncidentFacts>(
    `${incidents} where i.id = any($1::text[]) order by i.started_at desc, i.id desc`,
    [ids],
  );
  return rows.map(toIncident);
}

/** Ids of a page's incidents, latest start first. */
export async function listIncidentIds(sql: Sql, pageId: string): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(
    'select id from incidents where status_page_id = $1 and deleted_at is null order by started_at desc, id desc',
    [pageId],
  );
  return rows.map(row => row.id);
}

/** The latest updates of a page as feeds show them, newest first. */
export async function listFeedUpdates(
  sql: Sql,
  pageId: string,
  limit: number,
): Promise<{ incident_id: string; update_id: string }[]> {
  return sql.rows(
    `select u.incident_id, u.id as update_id from incident_updates u join incidents i on i.id = u.incident_id
     where u.status_page_id = $1 and i.deleted_at is null order by u.feed_at desc limit $2`,
    [pageId, limit],
  );
}

function toIncident(row: IncidentFacts): PageIncident {
  return {
    id: row.id,
    title: row.title,
    severity: row.severity,
    impact: row.impact,
    state: row.state,
    startedAt: row.started_at,
    resolvedAt: row.resolved_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    components: row.components,
    updates: row.updates.map(({ posted, edited, feed, ...update }) => ({
      ...update,
      postedAt: posted,
      editedAt: edited,
      feedAt: feed,
    })),
    postmortemUrl: row.postmortem_url,
    postmortemBody: row.postmortem_body,
  };
}
