import { toTimestamp } from '#shared/clock.ts';
import type { Change, Origin } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findTokenByHash } from '../../platform/projects/store.ts';
import { hashBearer } from '../../platform/secrets/bearer.ts';
import type { Session } from './session.ts';

type Entry = { origin: Origin; change: Change };

/** The entry of a session that began, or ended before its time. */
export function sessionEntry(
  action: 'session.created' | 'session.ended',
  { session, caller }: { session: Session; caller: Caller },
  requestId: string,
): Entry {
  const { projectId } = caller;
  const { id: subject, name } = caller.actor;
  const fields = { expires_at: toTimestamp(session.expiresAt), method: 'token' };
  const sides = action === 'session.created' ? { before: null, after: fields } : { before: fields, after: null };
  return { origin: originOf(projectId, { id: subject, name }, requestId), change: { action, subject, name, ...sides } };
}

/**
 * The entry of a sign-in that was refused, for the project whose token it was; null if it failed for another reason.
 */
export async function refusalEntry(sql: Sql, token: string, error: unknown, requestId: string): Promise<Entry | null> {
  if (!(error instanceof Problem) || error.status !== 401) return null;
  const known = await findTokenByHash(sql, hashBearer(token));
  const { id, name } = known ?? { id: 'unknown', name: null };
  const change = {
    action: 'session.refused',
    subject: id,
    name,
    before: null,
    after: { method: 'token', reason: error.code },
  } as const;
  return { origin: originOf(known?.project_id ?? null, { id, name }, requestId), change };
}

function originOf(projectId: string | null, token: { id: string; name: string | null }, requestId: string): Origin {
  return { projectId, actor: { type: 'token', ...token }, via: 'dashboard', requestId, planId: null };
}
