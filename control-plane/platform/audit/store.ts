import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Change, Origin } from './entry.ts';

/** Writes an entry. `detail` is what versions before 0.5 show of it. */
export async function insertEntry(sql: Sql, origin: Origin, change: Change, nowMs: number): Promise<void> {
  const { projectId, actor, via, requestId, planId } = origin;
  const { action, subject, name, before, after, also = [] } = change;
  const detail = { fields: Object.keys(after ?? before ?? {}) };
  await sql.run`
    insert into audit_entries (
      id, project_id, at, actor, action, subject, detail, actor_type, actor_name, via, name, before, after, also,
      request_id, plan_id
    )
    values (
      ${newId('aud', nowMs)}, ${projectId}, ${instant(nowMs)}, ${actor.id}, ${action}, ${subject},
      ${JSON.stringify(detail)}, ${actor.type}, ${actor.name}, ${via}, ${name}, ${json(before)}, ${json(after)},
      ${JSON.stringify(also)}, ${requestId}, ${planId}
    )`;
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
