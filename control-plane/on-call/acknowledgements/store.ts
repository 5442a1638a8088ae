import { instant, type Sql } from '../../platform/db/sql.ts';

/** Alerts of a group that nobody has acknowledged, in the order of their ids. `openedBefore`: null is any time. */
export function listOpenAlerts(
  sql: Sql,
  projectId: string,
  groupId: string,
  openedBefore: number | null,
): Promise<{ id: string; monitor_id: string }[]> {
  return sql.rows<{ id: string; monitor_id: string }>`
    select a.id, a.monitor_id
    from alert_group_members m
    join alerts a on a.id = m.alert_id
    where m.project_id = ${projectId}
      and m.group_id = ${groupId}
      and a.current_state = 'open'
      and (
        ${instant(openedBefore)}::timestamptz is null
        or greatest(a.opened_at, a.created_at, a.reopened_at) <= ${instant(openedBefore)}
      )
    order by a.id`;
}

/** Titles of the group's unresolved alerts, the first of them, and how many there are. */
export async function listUnresolvedTitles(
  sql: Sql,
  projectId: string,
  groupId: string,
  limit: number,
): Promise<{ titles: string[]; count: number; open: number }> {
  const rows = await sql.rows<{ title: string; is_open: boolean }>`
    select a.title, a.current_state = 'open' as is_open
    from alert_group_members m
    join alerts a on a.id = m.alert_id
    where m.project_id = ${projectId}
      and m.group_id = ${groupId}
      and a.current_state <> 'resolved'
    order by m.joined_number`;
  const open = rows.filter(row => row.is_open).length;
  return { titles: rows.slice(0, limit).map(row => row.title), count: rows.length, open };
}

/** The project of a channel, whatever the caller may see, and what it needs to open its configuration. */
export function findAnyChannel(
  sql: Sql,
  id: string,
): Promise<{ id: string; project_id: string; name: string; type: 'pagerduty'; sealed_config: Buffer } | null> {
  return sql.row<{ id: string; project_id: string; name: string; type: 'pagerduty'; sealed_config: Buffer }>`
    select id, project_id, name, type, sealed_config
    from channels
    where id = ${id}
      and type = 'pagerduty'`;
}
