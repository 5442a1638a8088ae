import { fragment, type Sql } from '../db/sql.ts';
import type { NoticeRow } from './notice.ts';

const noticeColumns = fragment`
  id, kind, subject_type, subject_id, subject_name, title, detail, late_results, opened_at, closed_at`;

/** Null if the project has no such notice. */
export async function findNotice(sql: Sql, projectId: string, id: string): Promise<NoticeRow | null> {
  return sql.row<NoticeRow>`
    select ${noticeColumns}
    from notices
    where project_id = ${projectId} and id = ${id}`;
}
