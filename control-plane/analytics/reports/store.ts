import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { ReportItem, ReportPatch, ReportPost } from './report.ts';

export type ReportRow = {
  id: string;
  project_id: string;
  name: string;
  items: ReportItem[];
  created_at: number;
  updated_at: number;
};

const columns = fragment`id, project_id, name, items, created_at, updated_at`;

/** Null if another report has the name. */
export async function insertReport(
  sql: Sql,
  projectId: string,
  { name, items }: ReportPost,
  nowMs: number,
): Promise<ReportRow | null> {
  return sql.row<ReportRow>`
    insert into reports (id, project_id, name, items, created_at, updated_at)
    values (
      ${newId('rpt', nowMs)}, ${projectId}, ${name}, ${JSON.stringify(items)}, ${instant(nowMs)}, ${instant(nowMs)}
    )
    on conflict (project_id, name) do nothing
    returning ${columns}`;
}

/** The report, which nobody else changes until the transaction ends; null if there is none. */
export async function lockReport(sql: Sql, projectId: string, id: string): Promise<ReportRow | null> {
  return sql.row<ReportRow>`
    select ${columns}
    from reports
    where project_id = ${projectId}
      and id = ${id}
    for update`;
}

/** Changes the fields that the patch has. */
export async function updateReport(sql: Sql, id: string, { name, items }: ReportPatch, nowMs: number) {
  await sql.run`
    update reports
    set name = coalesce(${name ?? null}, name),
      items = coalesce(${items === undefined ? null : JSON.stringify(items)}::jsonb, items),
      updated_at = ${instant(nowMs)}
    where id = ${id}`;
}

export async function deleteReport(sql: Sql, projectId: string, id: string): Promise<void> {
  await sql.run`
    delete from reports
    where project_id = ${projectId}
      and id = ${id}`;
}

export async function findReport(sql: Sql, projectId: string, id: string): Promise<ReportRow | null> {
  return sql.row<ReportRow>`
    select ${columns}
    from reports
    where project_id = ${projectId}
      and id = ${id}`;
}

/** Newest first: one more than the page. */
export async function listReports(sql: Sql, projectId: string, page: Page): Promise<ReportRow[]> {
  return sql.rows<ReportRow>`
    select ${columns}
    from reports
    where project_id = ${projectId}
      and ${olderThan(page, fragment`created_at, id`)}
    order by created_at desc, id desc
    limit ${page.limit + 1}`;
}

/** Whether another report of the project has the name. */
export async function isNameTaken(sql: Sql, projectId: string, name: string, exceptId: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from reports
    where project_id = ${projectId}
      and name = ${name}
      and id <> ${exceptId}`;
  return row !== null;
}

/** Those of the flows that the project does not have. */
export async function unknownFlows(sql: Sql, projectId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from unnest(${ids}::text[]) as asked (id)
    where not exists (select from flows f where f.project_id = ${projectId} and f.id = asked.id)`;
  return rows.map(row => row.id);
}

/** A report as the API shows it. */
export function viewReport({ created_at, updated_at, ...row }: ReportRow) {
  return {
    ...row,
    key: null,
    managed_by: null,
    created_at: toTimestamp(created_at),
    updated_at: toTimestamp(updated_at),
  };
}
