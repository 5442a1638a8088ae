import type { ComponentStatus, Verdict } from '#shared/vocabulary.ts';
import { isInScopeAt, isMemberAt, listExcluded } from '../../monitoring/memberships/window-store.ts';
import { type Row, withWindows } from '../../monitoring/verdicts/spans.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { IncidentSpan } from './publish/incident-days.ts';

/** A component with what its shown status and its days depend on. */
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
  monitors: { id: string; verdict: Verdict | 'maintenance' }[];
  in_scope: boolean;
};

/** The page's components in their order, with the current verdicts of their monitors. */
export async function readComponents(sql: Sql, pageId: string, nowMs: number): Promise<ComponentFacts[]> {
  const now = fragment`${instant(nowMs)}::timestamptz`;
  return sql.rows<ComponentFacts>`
    select c.id, c.name, c.description, c.group_name, c.position, c.status, c.show_uptime, c.created_at, c.updated_at,
      coalesce((
        select json_agg(json_build_object('id', states.monitor_id, 'verdict', case
            when ${isMemberAt(fragment`states.monitor_id`, now)} then 'maintenance'
            else states.verdict
          end)
          order by states.monitor_id)
        from component_monitors
        join monitor_states states on states.monitor_id = component_monitors.monitor_id
        where component_monitors.component_id = c.id and not states.deleted
      ), '[]') as monitors,
      ${isInScopeAt(now)} as in_scope
    from components c
    where c.status_page_id = ${pageId} and c.deleted_at is null
    order by c.position, c.created_at, c.id`;
}

/** Whether the monitors together have at most `max` verdict changes since an instant, each counted `merges` times. */
export async function hasAtMostChanges(
  sql: Sql,
  merges: ReadonlyMap<string, number>,
  fromMs: number,
  max: number,
): Promise<boolean> {
  const row = await sql.row<{ count: number }>`
    select coalesce(sum(merges), 0) as count
    from (
      select merges
      from unnest(${[...merges.keys()]}::text[], ${[...merges.values()]}::integer[]) as wanted (id, merges)
      join verdict_changes on monitor_id = wanted.id and since >= ${instant(fromMs)}
      limit ${max + 1}
    ) as changes`;
  return (row?.count ?? 0) <= max;
}

/** For each monitor its verdict changes in order, from the one in effect at `fromMs`, with the windows in them. */
export async function readTimelines(
  sql: Sql,
  monitorIds: readonly string[],
  fromMs: number,
  toMs: number,
): Promise<Map<string, readonly Row[]>> {
  const rows = await sql.rows<{ monitor_id: string; since: number; verdict: Verdict; source: string | null }>`
    with period as (select ${instant(fromMs)}::timestamptz as start)
    select changes.monitor_id, changes.since, changes.verdict, changes.imported_from as source
    from period, unnest(${monitorIds}::text[]) as wanted (id)
    cross join lateral (
      select monitor_id, since, verdict, imported_from
      from verdict_changes
      where monitor_id = wanted.id
        and since >= coalesce((
          select max(since)
          from verdict_changes
          where monitor_id = wanted.id and since <= period.start
        ), period.start)
      order by since
    ) changes`;
  const timelines = new Map<string, Row[]>(monitorIds.map(id => [id, []]));
  for (const { monitor_id, since, verdict, source } of rows)
    timelines.get(monitor_id)?.push({ since, verdict, ...(source === null ? {} : { source }) });
  const windows = await listExcluded(sql, monitorIds, fromMs, toMs);
  return new Map([...timelines].map(([id, rows]) => [id, withWindows(rows, windows.get(id) ?? [])]));
}

/** For each component of the page the incidents since the instant that affected it: of the page's latest thousand. */
export async function readIncidentSpans(
  sql: Sql,
  pageId: string,
  fromMs: number,
): Promise<Map<string, IncidentSpan[]>> {
  const rows = await sql.rows<{
    affected_components: string[];
    impact: IncidentSpan['impact'];
    started_at: number;
    resolved_at: number | null;
  }>`
    select affected_components, impact, started_at, resolved_at
    from incidents
    where status_page_id = ${pageId}
      and deleted_at is null
      and affected_components <> '{}'
      and (resolved_at is null or resolved_at >= ${instant(fromMs)})
    order by started_at desc, id desc
    limit 1000`;
  const spans = rows.flatMap(({ affected_components, impact, started_at, resolved_at }) =>
    affected_components.map(id => ({ id, impact, startedAt: started_at, resolvedAt: resolved_at })),
  );
  return Map.groupBy(spans, ({ id }) => id);
}
