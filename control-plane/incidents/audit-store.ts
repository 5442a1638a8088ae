import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';

/** One change: by whom (the id of a token), what was done to what, and the values that were given. */
export type AuditEntry = {
  projectId: string;
  actor: string;
  action: string;
  subject: string;
  detail: Readonly<Record<string, unknown>>;
};

type AuditRow = { id: string; at: number; actor: string; action: string; detail: Record<string, unknown> };

export async function writeAudit(sql: Sql, entry: AuditEntry, nowMs: number): Promise<void> {
  await sql.run(
    'insert into audit_entries (id, project_id, at, actor, action, subject, detail) values ($1, $2, $3, $4, $5, $6, $7)',
    [
      newId('aud', nowMs),
      entry.projectId,
      instant(nowMs),
      entry.actor,
      entry.action,
      entry.subject,
      JSON.stringify(entry.detail),
    ],
  );
}

/** Newest first. */
export async function listAudit(sql: Sql, projectId: string, subject: string, page: Page): Promise<AuditRow[]> {
  return sql.rows<AuditRow>(
    `select id, at, actor, action, detail from audit_entries where project_id = $1 and subject = $2
       and ($3::timestamptz is null or (at, id) < ($3, $4)) order by at desc, id desc limit $5`,
    [projectId, subject, instant(page.after?.[0] ?? null), page.after?.[1] ?? null, page.limit + 1],
  );
}

export function viewAudit({ at, ...row }: AuditRow) {
  return { ...row, at: toTimestamp(at) };
}
