import { minuteMs } from '#shared/duration.ts';
import type { Sql } from '../db/sql.ts';
import type { Caller } from '../http/endpoint/caller.ts';
import { Problem } from '../http/problem.ts';
import { hashBearer, isBearer } from '../secrets/bearer.ts';
import { findTokenByHash, touchToken } from './store.ts';

const touchEveryMs = minuteMs;

/**
 * The bearer of an `Authorization` header. Throws a 401 problem. The token is looked up on each request, so that a
 * revocation takes effect at once on every replica; it is found by its hash, so timing reveals nothing of the secret.
 */
export async function authenticate(sql: Sql, header: string | undefined, nowMs: number): Promise<Caller> {
  if (header === undefined) throw new Problem('missing_token');
  const secret = /^Bearer +([^\s]+)$/i.exec(header.trim())?.[1];
  if (secret === undefined || !isBearer('upq', secret)) throw new Problem('invalid_token');
  const token = await findTokenByHash(sql, hashBearer(secret));
  if (token === null) throw new Problem('invalid_token');
  if (token.revoked_at !== null) throw new Problem('token_revoked');
  if (token.expires_at !== null && token.expires_at <= nowMs) throw new Problem('token_expired');
  if (token.last_used_at === null || token.last_used_at < nowMs - touchEveryMs) await touchToken(sql, token.id, nowMs);
  const { id, name, project_id: projectId, scopes, expires_at: expiresAt } = token;
  return { actor: { type: 'token', id, name }, projectId, scopes, expiresAt };
}
