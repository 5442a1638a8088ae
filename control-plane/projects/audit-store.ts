import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';

/**
 * A change: `actor` is the id of the token used, `subject` the id of what changed, `detail` the new values. Without a
 * project only the operator sees it.
 */
export type AuditEntry = {
  projectId: string | null;
  actor: string;
  action: string;
  subject: string;
  detail: Readonly<Record<string, unknown>>;
};

/** An entry as the API shows it. */
export const auditSchema = z.object({
  id: z.string(),
  at: z.string(),
  actor: z.string().describe('id of the token, or `operator`'),
  action: z.string().describe('method and path of the endpoint, or what happened to an incident'),
  subject: z.string().describe('id of what changed'),
  detail: z.record(z.string(), z.unknown()),
});

type AuditRow = {
  id: string;
  at: number;
  actor: string;
  action: string;
  subject: string;
  detail: Record<string, unknown>;
};

/** Records a change. Call it in the transaction of the change. */
export async function writeAudit(sql: Sql, entry: AuditEntry, nowMs: number): Promise<void> {
  const { projectId, actor, action, subject, detail } = entry;
  await sql.run`
    insert into audit_entries (id, project_id, at, actor, action, subject, detail)
    values (
      ${newId('aud', nowMs)}, ${projectId}, ${instant(nowMs)}, ${actor}, ${action}, ${subject},
      ${JSON.stringify(detail)}
    )`;
}

/** Changes, newest first, of one subject or by one actor if they are given. Reads one row more than the page shows. */
export async function listAudit(
  sql: Sql,
  projectId: string,
  { subject, actor }: { subject: string | null; actor: string | null },
  page: Page,
): Promise<AuditRow[]> {
  const [afterMs, afterId] = page.after ?? [null, null];
  return sql.rows<AuditRow>`
    select id, at, actor, action, subject, detail
    from audit_entries
    where project_id = ${projectId}
      and (${subject}::text is null or subject = ${subject})
      and (${actor}::text is null or actor = ${actor})
      and (
        ${afterId}::text is null
        or (at, id) < (${instant(afterMs)}::timestamptz, ${afterId})
      )
    order by at desc, id desc
    limit ${page.limit + 1}`;
}

export function viewAudit({ at, ...row }: AuditRow): z.infer<typeof auditSchema> {
  return { ...row, at: toTimestamp(at) };
}

/** Deletes entries before the instant. */
export async function deleteAuditBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`delete from audit_entries where at < ${instant(beforeMs)}`;
}
