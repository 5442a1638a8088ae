import { newId } from '#shared/ids.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { Condition, NoticeKind, NoticeRow } from './notice.ts';
import type { OpenNotice } from './plan.ts';

const noticeColumns = fragment`
  id, kind, subject_type, subject_id, subject_name, title, detail, late_results, opened_at, closed_at`;

/** Filters of the list; null does not filter. `opened_at` in [from, to). */
type NoticeFilter = {
  kinds: readonly string[] | null;
  states: readonly string[] | null;
  fromMs: number | null;
  toMs: number | null;
};

/** What facts of notices say. */
export type ChangedNotice = { id: string; project_id: string | null; kind: NoticeKind; subject_id: string };

/** Null if the project has no such notice. */
export async function findNotice(sql: Sql, projectId: string, id: string): Promise<NoticeRow | null> {
  return sql.row<NoticeRow>`
    select ${noticeColumns}
    from notices
    where project_id = ${projectId} and id = ${id}`;
}

/** A page of the project's notices, newest first. */
export async function listNotices(sql: Sql, projectId: string, filter: NoticeFilter, page: Page): Promise<NoticeRow[]> {
  return sql.once<NoticeRow>`
    select ${noticeColumns}
    from notices
    where project_id = ${projectId}
      and (${filter.kinds}::text[] is null or kind = any(${filter.kinds}::text[]))
      and (
        ${filter.states}::text[] is null
        or case when closed_at is null then 'open' else 'closed' end = any(${filter.states}::text[])
      )
      and (${instant(filter.fromMs)}::timestamptz is null or opened_at >= ${instant(filter.fromMs)}::timestamptz)
      and (${instant(filter.toMs)}::timestamptz is null or opened_at < ${instant(filter.toMs)}::timestamptz)
      and ${olderThan(page, fragment`opened_at, id`)}
    order by opened_at desc, id desc
    limit ${page.limit + 1}`;
}

/** The open notices of all projects. */
export async function listOpen(sql: Sql): Promise<OpenNotice[]> {
  return sql.rows<OpenNotice>`
    select id, project_id, kind, subject_id, distinction
    from notices
    where closed_at is null`;
}

/** Opens those that are not open already, and returns them: each once on any number of replicas. */
export async function openNotices(sql: Sql, given: readonly Condition[], nowMs: number): Promise<ChangedNotice[]> {
  return sql.rows<ChangedNotice>`
    insert into notices (
      id, project_id, kind, subject_type, subject_id, subject_name, distinction, title, detail, opened_at
    )
    select
      id, project_id, kind, subject_type, subject_id, subject_name, distinction, title, detail, ${instant(nowMs)}
    from unnest(
      ${given.map(() => newId('ntc', nowMs))}::text[],
      ${given.map(one => one.projectId)}::text[],
      ${given.map(one => one.kind)}::text[],
      ${given.map(one => one.subjectType)}::text[],
      ${given.map(one => one.subjectId)}::text[],
      ${given.map(one => one.subjectName)}::text[],
      ${given.map(one => one.distinction)}::text[],
      ${given.map(one => one.title)}::text[],
      ${given.map(one => one.detail)}::text[]
    ) as given (id, project_id, kind, subject_type, subject_id, subject_name, distinction, title, detail)
    on conflict (project_id, kind, subject_id, distinction) where closed_at is null do nothing
    returning id, project_id, kind, subject_id`;
}

/** Closes those that are open, and returns them. */
export async function closeNotices(sql: Sql, ids: readonly string[], nowMs: number): Promise<ChangedNotice[]> {
  return sql.rows<ChangedNotice>`
    update notices
    set closed_at = ${instant(nowMs)}
    where id = any(${ids}::text[]) and closed_at is null
    returning id, project_id, kind, subject_id`;
}

/** How many notices are open that no project gets, by kind. */
export async function countSharedOpen(sql: Sql): Promise<{ kind: NoticeKind; count: number }[]> {
  return sql.rows`
    select kind, count(*)::integer as count
    from notices
    where project_id is null and closed_at is null
    group by kind`;
}

export async function deleteNoticesClosedBefore(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`delete from notices where closed_at < ${instant(beforeMs)}`;
}
