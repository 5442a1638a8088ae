import { instant, type Sql } from '../../platform/db/sql.ts';
import type { StoredAlert } from './backtest.ts';

/** Alerts of a monitor that were unresolved at some time in [from, to). */
export function listAlerts(sql: Sql, monitorId: string, fromMs: number, toMs: number): Promise<StoredAlert[]> {
  return sql.rows<StoredAlert>`
    select id, kind, severity, started_at, coalesce(opened_at, created_at) as opened_at, resolved_at
    from alerts
    where monitor_id = ${monitorId}
      and coalesce(opened_at, created_at) < ${instant(toMs)}
      and (resolved_at is null or resolved_at >= ${instant(fromMs)})
    order by opened_at desc
    limit 1000`;
}
