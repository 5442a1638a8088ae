import type { Actor, Effect, Fields, Via } from '../audit/entry.ts';
import { newerThan, olderThan } from '../db/keyset.ts';
import { fragment, instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/endpoint/pagination.ts';

/** An entry as stored; versions up to 0.4 left what follows `detail` empty. */
export type AuditRow = {
  id: string;
  at: number;
  actor: string;
  action: string;
  subject: string;
  detail: Record<string, unknown>;
  actor_type: Actor['type'] | null;
  actor_name: string | null;
  via: Via | null;
  name: string | null;
  before: Fields | null;
  after: Fields | null;
  also: Effect[] | null;
  request_id: string | null;
  plan_id: string | null;
  actor_token: { id: string; name: string } | null;
};

const columns = fragment`
  id, at, actor, action, subject, detail, actor_type, actor_name, via, name, before, after, also, request_id, plan_id,
  actor_token`;

/** Null for any; entries at [fromMs, toMs). `actions` are names as stored. */
export type AuditFilter = {
  subject: string | null;
  actor: string | null;
  actions: readonly string[] | null;
  fromMs: number | null;
  toMs: number | null;
};

/** Entries of a project, or of none. Reads one row more than the page shows. */
export async function listAudit(
  sql: Sql,
  projectId: string | null,
  { subject, actor, actions, fromMs, toMs }: AuditFilter,
  page: Page,
  order: 'newest' | 'oldest' = 'newest',
): Promise<AuditRow[]> {
  const [behind, direction] = order === 'newest' ? [olderThan, fragment`desc`] : [newerThan, fragment`asc`];
  return sql.rows<AuditRow>`
    select ${columns}
    from audit_entries
    where ${projectId === null ? fragment`project_id is null` : fragment`project_id = ${projectId}`}
      and (${subject}::text is null or subject = ${subject})
      and (${actor}::text is null or actor = ${actor})
      and (${actions}::text[] is null or action = any(${actions}))
      and at >= coalesce(${instant(fromMs)}::timestamptz, '-infinity')
      and at < coalesce(${instant(toMs)}::timestamptz, 'infinity')
      and ${behind(page, fragment`at, id`)}
    order by at ${direction}, id ${direction}
    limit ${page.limit + 1}`;
}

const deletedAtOnce = 5000;

/** Deletes entries before the instant, step by step: there may be very many. */
export async function deleteAuditBefore(sql: Sql, beforeMs: number): Promise<void> {
  for (let deleted = deletedAtOnce; deleted === deletedAtOnce; )
    deleted = await sql.run`
      delete from audit_entries
      where id in (
        select id
        from audit_entries
        where at < ${instant(beforeMs)}
        order by at
        limit ${deletedAtOnce}
      )`;
}
