import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { ComponentPatch, ComponentPost, ComponentView } from './component.ts';
import { type ComponentStatus, shownStatus } from './status.ts';

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
  verdicts: string[];
  impacts: string[];
};

// A deleted monitor keeps its binding for its revival, but tells nothing meanwhile.
const listed = `select c.*,
  array(select b.monitor_id from component_monitors b join monitors m on m.id = b.monitor_id where b.component_id = c.id and m.deleted_at is null
    order by b.monitor_id) as monitor_ids,
  array(select s.verdict from component_monitors b join monitor_states s on s.monitor_id = b.monitor_id where b.component_id = c.id and not s.deleted) as verdicts,
  array(select i.impact from incidents i where i.status_page_id = c.status_page_id and i.resolved_at is null and i.deleted_at is null
    and c.id = any(i.affected_components)) as impacts
  from components c`;

/** Null when the page does not exist. Without a position it goes to the end. */
export async function insertComponent(
  sql: Sql,
  projectId: string,
  posted: ComponentPost,
  nowMs: number,
): Promise<string | null> {
  const row = await sql.row<{ id: string }>(
    `insert into components (id, project_id, status_page_id, name, description, group_name, position, status, show_uptime, created_at, updated_at)
     select $1, p.project_id, p.id, $4, $5, $6, coalesce($7, (select max(position) + 1 from components where status_page_id = $3 and deleted_at is null), 0), $8, $9, $10, $10
     from status_pages p where p.project_id = $2 and p.id = $3 and p.deleted_at is null for share returning id`,
    [
      newId('comp', nowMs),
      projectId,
      posted.status_page_id,
      posted.name,
      posted.description,
      posted.group,
      posted.position,
      posted.status,
      posted.show_uptime,
      instant(nowMs),
    ],
  );
  return row?.id ?? null;
}

/** Page of the component that was changed, or null when there is none. */
export async function updateComponent(
  sql: Sql,
  projectId: string,
  id: string,
  patch: ComponentPatch,
  nowMs: number,
): Promise<string | null> {
  const row = await sql.row<{ status_page_id: string }>(
    `update components set name = coalesce($3, name), description = coalesce($4, description), group_name = case when $5 then $6 else group_name end,
       position = coalesce($7, position), status = coalesce($8, status), show_uptime = coalesce($9, show_uptime), updated_at = $10
     where project_id = $1 and id = $2 and deleted_at is null returning status_page_id`,
    [
      projectId,
      id,
      patch.name ?? null,
      patch.description ?? null,
      patch.group !== undefined,
      patch.group ?? null,
      patch.position ?? null,
      patch.status ?? null,
      patch.show_uptime ?? null,
      instant(nowMs),
    ],
  );
  return row?.status_page_id ?? null;
}

export async function findComponent(sql: Sql, projectId: string, id: string): Promise<ComponentRow | null> {
  return sql.row<ComponentRow>(`${listed} where c.project_id = $1 and c.id = $2 and c.deleted_at is null`, [
    projectId,
    id,
  ]);
}

/** Locks the component against incidents that are just opened; null when there is none. */
export async function lockComponent(
  sql: Sql,
  projectId: string,
  id: string,
): Promise<{ status_page_id: string } | null> {
  return sql.row(
    'select status_page_id from components where project_id = $1 and id = $2 and deleted_at is null for update',
    [projectId, id],
  );
}

export async function countComponents(sql: Sql, statusPageId: string): Promise<number> {
  const row = await sql.row<{ count: number }>(
    'select count(*) from components where status_page_id = $1 and deleted_at is null',
    [statusPageId],
  );
  return row?.count ?? 0;
}

/** Newest first. */
export async function listComponents(
  sql: Sql,
  projectId: string,
  statusPageId: string | null,
  page: Page,
): Promise<ComponentRow[]> {
  return sql.rows<ComponentRow>(
    `${listed} where c.project_id = $1 and c.deleted_at is null and ($2::text is null or c.status_page_id = $2)
       and ($3::timestamptz is null or (c.created_at, c.id) < ($3, $4)) order by c.created_at desc, c.id desc limit $5`,
    [projectId, statusPageId, instant(page.after?.[0] ?? null), page.after?.[1] ?? null, page.limit + 1],
  );
}

export async function isNamedByOpenIncident(sql: Sql, statusPageId: string, id: string): Promise<boolean> {
  return (
    (await sql.row(
      'select 1 from incidents where status_page_id = $1 and resolved_at is null and deleted_at is null and $2 = any(affected_components) limit 1',
      [statusPageId, id],
    )) !== null
  );
}

export async function markComponentDeleted(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run('delete from component_monitors where component_id = $1', [id]);
  await sql.run('update components set deleted_at = $2, updated_at = $2 where id = $1', [id, instant(nowMs)]);
}

/** Ids among these that are no monitors of the project. */
export async function unknownMonitors(sql: Sql, projectId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(
    'select id from monitors where project_id = $1 and id = any($2::text[]) and deleted_at is null',
    [projectId, ids],
  );
  const known = new Set(rows.map(row => row.id));
  return ids.filter(id => !known.has(id));
}

/** Ids among these that are no components of the project, or of the page when one is given. */
export async function unknownComponents(
  sql: Sql,
  projectId: string,
  ids: readonly string[],
  statusPageId: string | null = null,
): Promise<string[]> {
  if (ids.length === 0) return [];
  // Locked, so that none is deleted before it is named.
  const rows = await sql.rows<{ id: string }>(
    `select id from components where project_id = $1 and id = any($2::text[]) and deleted_at is null
       and ($3::text is null or status_page_id = $3) order by id for share`,
    [projectId, ids, statusPageId],
  );
  const known = new Set(rows.map(row => row.id));
  return ids.filter(id => !known.has(id));
}

export function viewComponent(row: ComponentRow): ComponentView {
  const { group_name, verdicts, impacts, ...rest } = row;
  return {
    id: rest.id,
    project_id: rest.project_id,
    status_page_id: rest.status_page_id,
    name: rest.name,
    description: rest.description,
    group: group_name,
    position: rest.position,
    status: rest.status,
    shown_status: shownStatus(rest.status, impacts, verdicts),
    monitor_ids: rest.monitor_ids,
    show_uptime: rest.show_uptime,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
