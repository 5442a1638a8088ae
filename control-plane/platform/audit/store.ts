import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Actor, Change, Origin, Via } from './entry.ts';

/** Writes an entry. `detail` is what versions before 0.5 show of it. */
export async function insertEntry(sql: Sql, origin: Origin, change: Change, nowMs: number): Promise<void> {
  const { projectId, actor, via, requestId, planId } = origin;
  const { action, subject, name, before, after, also = [] } = change;
  const detail = { fields: Object.keys(after ?? before ?? {}) };
  await sql.run`
    insert into audit_entries (
      id, project_id, at, actor, action, subject, detail, actor_type, actor_name, via, name, before, after, also,
      request_id, plan_id, actor_token
    )
    values (
      ${newId('aud', nowMs)}, ${projectId}, ${instant(nowMs)}, ${actor.id}, ${action}, ${subject},
      ${JSON.stringify(detail)}, ${actor.type}, ${actor.name}, ${via}, ${name}, ${json(before)}, ${json(after)},
      ${JSON.stringify(also)}, ${requestId}, ${planId},
      ${json(actor.token ?? null)}
    )`;
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Of each subject, its last change since the time that was none of an apply. */
export async function listLastChanges(
  sql: Sql,
  projectId: string,
  subjects: readonly { subject: string; sinceMs: number }[],
): Promise<{ subject: string; id: string; at: number; actor: Actor; via: Via }[]> {
  const json = JSON.stringify(subjects.map(({ subject, sinceMs }) => ({ subject, since: instant(sinceMs) })));
  type Row = {
    subject: string;
    id: string;
    at: number;
    type: Actor['type'];
    actor: string;
    name: string | null;
    via: Via;
  };
  const rows = await sql.rows<Row>`
    select n.subject, e.id, e.at, e.actor_type as type, e.actor, e.actor_name as name, e.via
    from jsonb_to_recordset(${json}::jsonb) as n (subject text, since timestamptz)
    cross join lateral (
      select id, at, actor_type, actor, actor_name, via
      from audit_entries
      where subject = n.subject
        and project_id = ${projectId}
        and at > n.since
        and via <> 'apply'
      order by at desc, id desc
      limit 1
    ) e`;
  return rows.map(({ type, actor, name, ...row }) => ({ ...row, actor: { type, id: actor, name } }));
}
