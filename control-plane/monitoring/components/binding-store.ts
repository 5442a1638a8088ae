import { fragment, type Sql } from '../../platform/db/sql.ts';
import { insertBindings, withoutUnwanted } from './binding-row-store.ts';

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
  const wanted = fragment`select ${componentId}::text, unnest(${monitorIds}::text[])`;
  return sql.rows`
    with unwanted as (
      select b.component_id, b.monitor_id
      from component_monitors b
      join monitors m on m.id = b.monitor_id
      where b.component_id = ${componentId}
        and b.by_id
        and m.deleted_at is null
        and b.monitor_id <> all(${monitorIds}::text[])
    ), ${withoutUnwanted('by_id')}, added as (
      ${insertBindings('by_id', projectId, wanted)}
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
  const wanted = fragment`select unnest(${componentIds}::text[]), ${monitorId}::text`;
  const rows = await sql.rows<{ component_id: string }>`
    with unwanted as (
      select component_id, monitor_id
      from component_monitors
      where monitor_id = ${monitorId}
        and by_id
        and component_id <> all(${componentIds}::text[])
    ), ${withoutUnwanted('by_id')}, added as (
      ${insertBindings('by_id', projectId, wanted)}
      returning component_id
    )
    select component_id
    from unwanted
    union
    select component_id
    from added`;
  return rows.map(row => row.component_id);
}
