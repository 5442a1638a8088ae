import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { ResourceRow } from './kind.ts';

const plain = fragment`null as kind, '' as parent_id, '' as also, '' as holds`;

export function secretRows(sql: Sql, projectId: string): Promise<ResourceRow[]> {
  return sql.rows<ResourceRow>`
    select id, name, updated_at, ${plain}
    from secrets
    where project_id = ${projectId}`;
}

export function monitorRows(sql: Sql, projectId: string): Promise<ResourceRow[]> {
  return sql.rows<ResourceRow>`
    select
      id, name, updated_at, kind, '' as parent_id, '' as also,
      concat_ws(' ', needs, (select string_agg(rule, ' ') from jsonb_object_keys(alert_rules) rule)) as holds
    from monitors
    where project_id = ${projectId}
      and deleted_at is null`;
}

export function channelRows(sql: Sql, projectId: string): Promise<ResourceRow[]> {
  return sql.rows<ResourceRow>`
    select id, name, updated_at, type as kind, '' as parent_id, '' as also, '' as holds
    from channels
    where project_id = ${projectId}`;
}

export function flowRows(sql: Sql, projectId: string): Promise<ResourceRow[]> {
  return sql.rows<ResourceRow>`
    select id, name, updated_at, ${plain}
    from flows
    where project_id = ${projectId}`;
}

export function reportRows(sql: Sql, projectId: string): Promise<ResourceRow[]> {
  return sql.rows<ResourceRow>`
    select id, name, updated_at, ${plain}
    from reports
    where project_id = ${projectId}`;
}

export function pageRows(sql: Sql, projectId: string): Promise<ResourceRow[]> {
  return sql.rows<ResourceRow>`
    select id, slug as name, updated_at, ${plain}
    from status_pages
    where project_id = ${projectId}
      and deleted_at is null`;
}

/** Monitors may bind themselves to a component, which does not touch its row. In the order of each page. */
export function componentRows(sql: Sql, projectId: string): Promise<ResourceRow[]> {
  return sql.rows<ResourceRow>`
    select
      c.id, c.name, c.updated_at, null as kind, c.status_page_id as parent_id,
      coalesce(
        (
          select string_agg(b.monitor_id, ' ' order by b.monitor_id)
          from component_monitors b
          join monitors m on m.id = b.monitor_id
          where b.component_id = c.id
            and b.by_id
            and m.deleted_at is null
        ),
        ''
      ) as also,
      '' as holds
    from components c
    where c.project_id = ${projectId}
      and c.deleted_at is null
    order by c.status_page_id, c.position, c.id`;
}

/** In their order. */
export function routeRows(sql: Sql, projectId: string): Promise<ResourceRow[]> {
  return sql.rows<ResourceRow>`
    select id, name, updated_at, ${plain}
    from routes
    where project_id = ${projectId}
    order by position, id`;
}

export function maintenanceRows(sql: Sql, projectId: string): Promise<ResourceRow[]> {
  return sql.rows<ResourceRow>`
    select id, title as name, updated_at, ${plain}
    from maintenances
    where project_id = ${projectId}
      and deleted_at is null`;
}
