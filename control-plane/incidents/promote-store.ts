import type { Acknowledger } from '../alerts/alert.ts';
import type { AlertRow } from '../alerts/store.ts';
import { fragment, instant, type Sql } from '../db/sql.ts';

export type PromotableAlert = Pick<
  AlertRow,
  | 'id'
  | 'monitor_id'
  | 'kind'
  | 'severity'
  | 'state'
  | 'regions_failing'
  | 'regions'
  | 'reason'
  | 'started_at'
  | 'resolved_at'
  | 'incident_id'
> & { monitor_name: string };

/** Columns of a PromotableAlert. A monitor that is gone is named by the alert's title. */
const columns = fragment`
  a.id, a.monitor_id, a.kind, a.severity, a.current_state as state, a.regions_failing, a.regions, a.reason,
  a.started_at, a.resolved_at, a.incident_id,
  coalesce(
    (select name from monitors where id = a.monitor_id),
    regexp_replace(a.title, ' is down$', '')
  ) as monitor_name`;

/** Null when the project has no such alert. `lock` locks the row, so that only one of two promotions succeeds. */
export async function readPromotable(
  sql: Sql,
  projectId: string,
  id: string,
  lock: boolean,
): Promise<PromotableAlert | null> {
  return sql.row<PromotableAlert>`
    select ${columns}
    from alerts a
    where a.project_id = ${projectId}
      and a.id = ${id}
    ${lock ? fragment`for update` : fragment``}`;
}

/** Pages with components that the monitor drives, and those components; oldest page first. */
export async function listPagesOf(
  sql: Sql,
  projectId: string,
  monitorId: string,
): Promise<{ id: string; name: string; components: { id: string; name: string }[] }[]> {
  return sql.rows`
    select p.id, p.name, json_agg(json_build_object('id', c.id, 'name', c.name) order by c.position, c.id) as components
    from component_monitors b
    join components c on c.id = b.component_id
    join status_pages p on p.id = c.status_page_id
    where b.monitor_id = ${monitorId}
      and p.project_id = ${projectId}
      and c.deleted_at is null
      and p.deleted_at is null
    group by p.id
    order by p.created_at, p.id`;
}

/** Null when the project has no such page. */
export async function findPageName(
  sql: Sql,
  projectId: string,
  id: string,
): Promise<{ id: string; name: string } | null> {
  return sql.row`
    select id, name
    from status_pages
    where project_id = ${projectId}
      and id = ${id}
      and deleted_at is null`;
}

/** Links the alert to its incident and acknowledges it if it is open. True when it was open. */
export async function markPromoted(
  sql: Sql,
  alertId: string,
  incidentId: string,
  by: Acknowledger,
  nowMs: number,
): Promise<boolean> {
  const row = await sql.row<{ acknowledged: boolean }>`
    update alerts a
    set incident_id = ${incidentId},
      state = case when a.state = 'open' then 'acknowledged' else a.state end,
      own_state = case when a.own_state = 'open' then 'acknowledged' else a.own_state end,
      acknowledged_at = case
        when a.current_state = 'open' then ${instant(nowMs)}::timestamptz
        else a.acknowledged_at
      end,
      acknowledged_by = case
        when a.current_state = 'open' then ${JSON.stringify(by)}::jsonb
        else a.acknowledged_by
      end
    where a.id = ${alertId}
    returning acknowledged_at = ${instant(nowMs)}::timestamptz as acknowledged`;
  return row?.acknowledged === true;
}

/** Unlinks a deleted incident from its alert, which can then be promoted again. */
export async function releaseAlert(sql: Sql, incidentId: string): Promise<void> {
  await sql.run`
    update alerts
    set incident_id = null
    where incident_id = ${incidentId}`;
}
