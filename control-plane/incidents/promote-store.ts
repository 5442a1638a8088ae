import type { AlertRow } from '../alerts/store.ts';
import { instant, type Sql } from '../db/sql.ts';

export type PromotableAlert = Pick<
  AlertRow,
  | 'id'
  | 'monitor_id'
  | 'severity'
  | 'state'
  | 'regions_failing'
  | 'regions'
  | 'reason'
  | 'started_at'
  | 'resolved_at'
  | 'incident_id'
> & { monitor_name: string };

/** The alert and its monitor's name; whoever promotes holds the row, so that of two at once one comes second. */
export async function readPromotable(
  sql: Sql,
  projectId: string,
  id: string,
  lock: boolean,
): Promise<PromotableAlert | null> {
  return sql.row<PromotableAlert>(
    `select a.id, a.monitor_id, a.severity, a.state, a.regions_failing, a.regions, a.reason, a.started_at, a.resolved_at, a.incident_id,
       coalesce((select name from monitors where id = a.monitor_id), regexp_replace(a.title, ' is down$', '')) as monitor_name
     from alerts a where a.project_id = $1 and a.id = $2 ${lock ? 'for update' : ''}`,
    [projectId, id],
  );
}

/** Pages that hold a component of the monitor, with those components. */
export async function listPagesOf(
  sql: Sql,
  projectId: string,
  monitorId: string,
): Promise<{ id: string; name: string; components: { id: string; name: string }[] }[]> {
  return sql.rows(
    `select p.id, p.name, json_agg(json_build_object('id', c.id, 'name', c.name) order by c.position, c.id) as components
     from component_monitors b join components c on c.id = b.component_id join status_pages p on p.id = c.status_page_id
     where b.monitor_id = $2 and p.project_id = $1 and c.deleted_at is null and p.deleted_at is null group by p.id order by p.created_at, p.id`,
    [projectId, monitorId],
  );
}

export async function findPageName(
  sql: Sql,
  projectId: string,
  id: string,
): Promise<{ id: string; name: string } | null> {
  return sql.row('select id, name from status_pages where project_id = $1 and id = $2 and deleted_at is null', [
    projectId,
    id,
  ]);
}

/** An open alert becomes acknowledged. True when it was open. */
export async function markPromoted(sql: Sql, alertId: string, incidentId: string, nowMs: number): Promise<boolean> {
  const row = await sql.row<{ acknowledged: boolean }>(
    `update alerts set incident_id = $2, state = case when state = 'open' then 'acknowledged' else state end,
       acknowledged_at = case when state = 'open' then $3::timestamptz else acknowledged_at end
     where id = $1 returning acknowledged_at = $3::timestamptz as acknowledged`,
    [alertId, incidentId, instant(nowMs)],
  );
  return row?.acknowledged === true;
}

/** A deleted incident frees its alert. */
export async function releaseAlert(sql: Sql, incidentId: string): Promise<void> {
  await sql.run('update alerts set incident_id = null where incident_id = $1', [incidentId]);
}
