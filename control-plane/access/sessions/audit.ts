import { toTimestamp } from '#shared/clock.ts';
import type { Change, Fields, Origin } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { hashBearer } from '../../platform/secrets/bearer.ts';
import type { SignInMethod } from './store.ts';
import { findBearer } from './token-store.ts';

export type Entry = { origin: Origin; change: Change };

/** What the audit says of a session. */
export function sessionFields({ expires_at, method }: { expires_at: number; method: SignInMethod }): Fields {
  return { expires_at: toTimestamp(expires_at), method };
}

/** The entry of a token's session that began, or ended before its time. */
export function tokenSessionEntry(
  action: 'session.created' | 'session.ended',
  { expiresAt, token }: { expiresAt: number; token: { id: string; name: string; projectId: string } },
  requestId: string,
): Entry {
  const fields = sessionFields({ expires_at: expiresAt, method: 'token' });
  const sides = action === 'session.created' ? { before: null, after: fields } : { before: fields, after: null };
  const { id, name, projectId } = token;
  return { origin: originOf(projectId, { id, name }, requestId), change: { action, subject: id, name, ...sides } };
}

/**
 * The entry of a sign-in that was refused, for the project whose token it was; null if it failed for another reason.
 */
export async function refusalEntry(sql: Sql, token: string, error: unknown, requestId: string): Promise<Entry | null> {
  if (!(error instanceof Problem) || error.status !== 401) return null;
  const known = await findBearer(sql, hashBearer(token));
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
