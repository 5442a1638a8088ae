import { createHash } from 'node:crypto';
import { instant, type Sql } from '../../platform/db/sql.ts';
import type { SealedSession } from './sealed-session.ts';

/** Ends a session on every replica, until its cookie would expire anyway. */
export async function endSession(sql: Sql, session: SealedSession): Promise<void> {
  await sql.run`
    insert into ended_sessions (id, expires_at)
    values (${idOf(session)}, ${instant(session.expiresAt)})
    on conflict (id) do nothing`;
}

export async function isEnded(sql: Sql, session: SealedSession): Promise<boolean> {
  const row = await sql.row`
    select 1
    from ended_sessions
    where id = ${idOf(session)}`;
  return row !== null;
}

/** Deletes what has expired; returns how many. */
export async function deleteEndedBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`delete from ended_sessions where expires_at < ${instant(beforeMs)}`;
}

function idOf({ csrf }: SealedSession): Buffer {
  return createHash('sha256').update(csrf).digest();
}
