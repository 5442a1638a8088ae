import type { Sql } from '../db/sql.ts';

/**
 * The relation of components and monitors is written from both sides; each write replaces all bindings by ID of its
 * side. A binding that a selector makes as well stays.
 */

/**
 * Makes these the monitors of a component. Bindings of deleted monitors stay, in case the monitor is restored. Returns
 * the monitors that were bound or released.
 */
export async function replaceMonitorsOf(
  sql: Sql,
  projectId: string,
  componentId: string,
  monitorIds: readonly string[],
): Promise<{ id: string; name: string }[]> {
  return sql.rows`
    with unwanted as (
      select b.monitor_id, b.by_selector
      from component_monitors b
      join monitors m on m.id = b.monitor_id
      where b.component_id = ${componentId}
        and b.by_id
        and m.deleted_at is null
        and b.monitor_id <> all(${monitorIds}::text[])
    ), unnamed as (
      update component_monitors b
      set by_id = false
      from unwanted u
      where b.component_id = ${componentId}
        and b.monitor_id = u.monitor_id
        and u.by_selector
    ), removed as (
      delete from component_monitors b
      using unwanted u
      where b.component_id = ${componentId}
        and b.monitor_id = u.monitor_id
        and not u.by_selector
    ), added as (
      insert into component_monitors as b (component_id, monitor_id, project_id)
      select ${componentId}, id, ${projectId}
      from unnest(${monitorIds}::text[]) as id
      order by id
      on conflict (component_id, monitor_id) do update
      set by_id = true
      where not b.by_id
      returning monitor_id
    )
    select m.id, m.name
    from monitors m
    where m.id in (select monitor_id from unwanted union all select monitor_id from added)
    order by m.id`;
}

/** Makes these the components of a monitor. Returns the components that gained or lost it by ID. */
export async function replaceComponentsOf(
  sql: Sql,
  projectId: string,
  monitorId: string,
  componentIds: readonly string[],
): Promise<string[]> {
  const rows = await sql.rows<{ component_id: string }>`
    with unwanted as (
      select component_id, by_selector
      from component_monitors
      where monitor_id = ${monitorId}
        and by_id
        and component_id <> all(${componentIds}::text[])
    ), unnamed as (
      update component_monitors b
      set by_id = false
      from unwanted u
      where b.monitor_id = ${monitorId}
        and b.component_id = u.component_id
        and u.by_selector
    ), removed as (
      delete from component_monitors b
      using unwanted u
      where b.monitor_id = ${monitorId}
        and b.component_id = u.component_id
        and not u.by_selector
    ), added as (
      insert into component_monitors as b (component_id, monitor_id, project_id)
      select id, ${monitorId}, ${projectId}
      from unnest(${componentIds}::text[]) as id
      order by id
      on conflict (component_id, monitor_id) do update
      set by_id = true
      where not b.by_id
      returning component_id
    )
    select component_id
    from unwanted
    union
    select component_id
    from added`;
  return rows.map(row => row.component_id);
}
