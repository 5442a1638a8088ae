import type { Sql } from '../../platform/db/sql.ts';

/** What routes, groups and messages say of a monitor, deleted ones included. */
export type MonitorTarget = { id: string; name: string; url: string; kind: string };

export function findTarget(sql: Sql, monitorId: string): Promise<MonitorTarget | null> {
  return sql.row<MonitorTarget>`
    select id, name, url, kind
    from monitors
    where id = ${monitorId}`;
}

/** The same of a monitor that is not deleted, with its labels; null if the project has none of the id. */
export function findTargetOf(
  sql: Sql,
  projectId: string,
  monitorId: string,
): Promise<(MonitorTarget & { labels: Record<string, string> }) | null> {
  return sql.row<MonitorTarget & { labels: Record<string, string> }>`
    select id, name, url, kind, labels
    from monitors
    where project_id = ${projectId}
      and id = ${monitorId}
      and deleted_at is null`;
}
