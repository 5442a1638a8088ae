import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import type { ComponentStatus, Impact, Verdict } from '#shared/vocabulary.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import { isInScopeAt, isMemberAt } from '../memberships/window-store.ts';
import type { ComponentPatch, ComponentPost, ComponentView } from './component.ts';
import { shownStatus } from './status.ts';

/** A component with what its shown status is derived from. Instants are milliseconds since the epoch. */
export type ComponentRow = {
  id: string;
  project_id: string;
  status_page_id: string;
  name: string;
  description: string;
  group_name: string | null;
  position: number;
  status: ComponentStatus;
  show_uptime: boolean;
  created_at: number;
  updated_at: number;
  monitor_ids: string[];
  monitor_selector: string | null;
  /** One more than are shown, if there are as many. */
  matched_monitor_ids: string[];
  /** `maintenance` of those that are in a window. */
  verdicts: (Verdict | 'maintenance')[];
  in_scope: boolean;
};

/** Most monitors shown that match a component's selector. */
const matchedMax = 500;

/** Columns of a ComponentRow. A deleted monitor stays bound, in case it is restored, but does not count meanwhile. */
const columns = fragment`
  c.id, c.project_id, c.status_page_id, c.name, c.description, c.group_name, c.position, c.status, c.show_uptime,
  c.monitor_selector, c.created_at, c.updated_at,
  array(
    select b.monitor_id
    from component_monitors b
    join monitors m on m.id = b.monitor_id
    where b.component_id = c.id
      and b.by_id
      and m.deleted_at is null
    order by b.monitor_id
  ) as monitor_ids,
  array(
    select b.monitor_id
    from component_monitors b
    join monitors m on m.id = b.monitor_id
    where b.component_id = c.id
      and b.by_selector
      and m.deleted_at is null
    order by b.monitor_id
    limit ${matchedMax + 1}
  ) as matched_monitor_ids,
  array(
    select case when ${isMemberAt(fragment`driving.monitor_id`, fragment`now()`)} then 'maintenance' else s.verdict end
    from component_monitors driving
    join monitor_states s on s.monitor_id = driving.monitor_id
    where driving.component_id = c.id
      and not s.deleted
  ) as verdicts,
  ${isInScopeAt(fragment`now()`)} as in_scope`;

/** Returns the id. The page is one of the project. Without a position the component is added at the end. */
export async function insertComponent(
  sql: Sql,
  projectId: string,
  posted: ComponentPost,
  nowMs: number,
): Promise<string> {
  const id = newId('comp', nowMs);
  const { status_page_id: statusPageId } = posted;
  await sql.run`
    insert into components (
      id, project_id, status_page_id, name, description, group_name, position, status, show_uptime,
      monitor_selector, created_at, updated_at
    )
    values (
      ${id}, ${projectId}, ${statusPageId}, ${posted.name}, ${posted.description}, ${posted.group},
      coalesce(
        ${posted.position},
        (select max(position) + 1 from components where status_page_id = ${statusPageId} and deleted_at is null),
        0
      ),
      ${posted.status}, ${posted.show_uptime}, ${posted.monitor_selector}, ${instant(nowMs)}, ${instant(nowMs)}
    )`;
  return id;
}

/** Changes the fields that the patch has. */
export async function updateComponent(
  sql: Sql,
  projectId: string,
  id: string,
  patch: ComponentPatch,
  nowMs: number,
): Promise<void> {
  await sql.run`
    update components
    set name = coalesce(${patch.name ?? null}, name),
      description = coalesce(${patch.description ?? null}, description),
      group_name = case when ${patch.group !== undefined} then ${patch.group ?? null} else group_name end,
      position = coalesce(${patch.position ?? null}, position),
      status = coalesce(${patch.status ?? null}, status),
      show_uptime = coalesce(${patch.show_uptime ?? null}, show_uptime),
      monitor_selector = case
        when ${patch.monitor_selector !== undefined} then ${patch.monitor_selector ?? null}
        else monitor_selector
      end,
      updated_at = ${instant(nowMs)}
    where project_id = ${projectId}
      and id = ${id}
      and deleted_at is null`;
}

/** Null when the project has no such component. */
export async function findComponent(sql: Sql, projectId: string, id: string): Promise<ComponentRow | null> {
  return sql.row<ComponentRow>`
    select ${columns}
    from components c
    where c.project_id = ${projectId}
      and c.id = ${id}
      and c.deleted_at is null`;
}

/** Locks the component, so that no incident being opened can name it; null when there is no such component. */
export async function lockComponent(
  sql: Sql,
  projectId: string,
  id: string,
): Promise<{ status_page_id: string } | null> {
  return sql.row`
    select status_page_id
    from components
    where project_id = ${projectId}
      and id = ${id}
      and deleted_at is null
    for update`;
}

export async function countComponents(sql: Sql, statusPageId: string): Promise<number> {
  const row = await sql.row<{ count: number }>`
    select count(*)
    from components
    where status_page_id = ${statusPageId}
      and deleted_at is null`;
  return row?.count ?? 0;
}

/** Newest first; of all pages of the project when `statusPageId` is null. Reads one row more than the page shows. */
export async function listComponents(
  sql: Sql,
  projectId: string,
  statusPageId: string | null,
  page: Page,
): Promise<ComponentRow[]> {
  return sql.rows<ComponentRow>`
    select ${columns}
    from components c
    where c.project_id = ${projectId}
      and c.deleted_at is null
      and (${statusPageId}::text is null or c.status_page_id = ${statusPageId})
      and ${olderThan(page, fragment`c.created_at, c.id`)}
    order by c.created_at desc, c.id desc
    limit ${page.limit + 1}`;
}

/** Marks the component as deleted and removes its bindings. */
export async function markComponentDeleted(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`
    with unbound as (
      delete from component_monitors
      where component_id = ${id}
    )
    update components
    set deleted_at = ${instant(nowMs)}, updated_at = ${instant(nowMs)}
    where id = ${id}`;
}

/** The component as the API shows it; `impacts` of the open incidents that affect it. */
export function viewComponent(row: ComponentRow, impacts: readonly Impact[]): ComponentView {
  return {
    id: row.id,
    project_id: row.project_id,
    key: null,
    managed_by: null,
    status_page_id: row.status_page_id,
    name: row.name,
    description: row.description,
    group: row.group_name,
    position: row.position,
    status: row.status,
    shown_status: shownStatus(row.status, impacts, row.verdicts, row.in_scope),
    monitor_ids: row.monitor_ids,
    monitor_selector: row.monitor_selector,
    matched_monitor_ids: row.matched_monitor_ids.slice(0, matchedMax),
    matched_truncated: row.matched_monitor_ids.length > matchedMax,
    show_uptime: row.show_uptime,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
