import { isMemberAt } from '../../monitoring/memberships/window-store.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { monitorSubject, selectorCondition } from '../../platform/selectors/compile.ts';
import type { Selector } from '../../platform/selectors/selector.ts';
import type { ScreenFacts, ScreenMonitor } from './screen.ts';

type Shown = { projectId: string; selector: Selector | null; nowMs: number };

/** Reads what a screen shows. Of results it has the code alone: no address, header or text of a response. */
export async function readScreen(sql: Sql, shown: Shown, limits: { monitors: number; incidents: number }) {
  const { projectId, selector, nowMs } = shown;
  const states = fragment`
    select
      m.name,
      case when ${isMemberAt(fragment`s.monitor_id`, fragment`${instant(nowMs)}::timestamptz`)} then 'maintenance'
        else s.verdict end as status,
      s.verdict,
      s.since,
      s.votes,
      s.monitor_id
    from monitors m
    join monitor_states s on s.monitor_id = m.id
    where m.project_id = ${projectId}
      and m.deleted_at is null
      and ${selectorCondition(selector, monitorSubject)}`;
  const counted = await sql.once<{ status: string; count: number }>`
    select status, count(*)::integer as count
    from (${states}) state
    group by status`;
  const monitors = await sql.once<ScreenMonitor>`
    select
      state.name,
      state.status,
      state.verdict,
      state.since,
      a.state is not distinct from 'acknowledged' as acknowledged,
      coalesce(a.reason->>'error_code', a.reason->>'status_code') as code,
      array(
        select region.key
        from json_each(state.votes) as region
        where region.value->>'vote' in ('down', 'warn')
        order by region.key
        limit 10
      ) as regions
    from (${states}) state
    left join lateral (
      select alerts.current_state as state, reason
      from alerts
      where monitor_id = state.monitor_id and alerts.current_state <> 'resolved'
      order by started_at desc
      limit 1
    ) a on true
    where state.status <> 'paused'
    order by
      array_position(array['down', 'undetermined', 'degraded', 'pending', 'maintenance', 'up'], state.status),
      case when state.status = 'up' then null else state.since end desc nulls last,
      state.name,
      state.monitor_id
    limit ${limits.monitors}`;
  const incidents = await sql.rows<ScreenFacts['incidents'][number]>`
    select title, impact, started_at
    from incidents
    where project_id = ${projectId}
      and resolved_at is null
      and deleted_at is null
    order by started_at desc
    limit ${limits.incidents}`;
  const project = await sql.row<{ name: string }>`select name from projects where id = ${projectId}`;
  const counts = Object.fromEntries(counted.map(({ status, count }) => [status, count]));
  return { project: project?.name ?? '', counts, monitors, incidents } satisfies ScreenFacts;
}
