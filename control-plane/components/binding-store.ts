import type { Sql } from '../db/sql.ts';

/** The one relation of components and monitors: each side's write replaces all of its own. */

export async function replaceMonitorsOf(
  sql: Sql,
  projectId: string,
  componentId: string,
  monitorIds: readonly string[],
): Promise<void> {
  await sql.run(
    `delete from component_monitors b using monitors m where b.component_id = $1 and m.id = b.monitor_id and m.deleted_at is null
       and b.monitor_id <> all($2::text[])`,
    [componentId, monitorIds],
  );
  await sql.run(
    `insert into component_monitors (component_id, monitor_id, project_id) select $1, id, $3 from unnest($2::text[]) as id order by id
     on conflict do nothing`,
    [componentId, monitorIds, projectId],
  );
}

/** Pages whose components changed. */
export async function replaceComponentsOf(
  sql: Sql,
  projectId: string,
  monitorId: string,
  componentIds: readonly string[],
): Promise<{ component_id: string; status_page_id: string }[]> {
  return sql.rows(
    `with gone as (
       delete from component_monitors where monitor_id = $1 and component_id <> all($2::text[]) returning component_id
     ), come as (
       insert into component_monitors (component_id, monitor_id, project_id) select id, $1, $3 from unnest($2::text[]) as id order by id
       on conflict do nothing returning component_id
     )
     select c.id as component_id, c.status_page_id from components c
     where c.id in (select component_id from gone union select component_id from come)`,
    [monitorId, componentIds, projectId],
  );
}
