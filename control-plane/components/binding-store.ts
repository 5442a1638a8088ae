import type { Sql } from '../db/sql.ts';

/** The relation of components and monitors is written from both sides; each write replaces all bindings of its side. */

/** Makes these the monitors of a component. Bindings of deleted monitors stay, in case the monitor is restored. */
export async function replaceMonitorsOf(
  sql: Sql,
  projectId: string,
  componentId: string,
  monitorIds: readonly string[],
): Promise<void> {
  await sql.run`
    with wanted as (
      select id
      from unnest(${monitorIds}::text[]) as id
    ), removed as (
      delete from component_monitors b
      using monitors m
      where b.component_id = ${componentId}
        and m.id = b.monitor_id
        and m.deleted_at is null
        and b.monitor_id not in (select id from wanted)
    )
    insert into component_monitors (component_id, monitor_id, project_id)
    select ${componentId}, id, ${projectId}
    from wanted
    order by id
    on conflict do nothing`;
}

/** Makes these the components of a monitor. Returns the components that gained or lost it, with their pages. */
export async function replaceComponentsOf(
  sql: Sql,
  projectId: string,
  monitorId: string,
  componentIds: readonly string[],
): Promise<{ component_id: string; status_page_id: string }[]> {
  return sql.rows`
    with wanted as (
      select id
      from unnest(${componentIds}::text[]) as id
    ), removed as (
      delete from component_monitors
      where monitor_id = ${monitorId}
        and component_id not in (select id from wanted)
      returning component_id
    ), added as (
      insert into component_monitors (component_id, monitor_id, project_id)
      select id, ${monitorId}, ${projectId}
      from wanted
      order by id
      on conflict do nothing
      returning component_id
    )
    select c.id as component_id, c.status_page_id
    from components c
    where c.id in (select component_id from removed union select component_id from added)`;
}
