import { minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { Problem } from '../../platform/http/problem.ts';
import { touchToken } from '../../platform/projects/store.ts';
import { hashBearer, isBearer } from '../../platform/secrets/bearer.ts';
import { callerOfToken } from './token-caller.ts';
import { findBearer } from './token-store.ts';

const touchEveryMs = minuteMs;

/**
 * The bearer of an `Authorization` header. Throws a 401 problem. The token is looked up on each request, so that a
 * revocation takes effect at once on every replica; it is found by its hash, so timing reveals nothing of the secret.
 */
export async function authenticate(sql: Sql, header: string | undefined, nowMs: number): Promise<Caller> {
  if (header === undefined) throw new Problem('missing_token');
  const secret = /^Bearer +([^\s]+)$/i.exec(header.trim())?.[1];
  if (secret === undefined || !isBearer('upq', secret)) throw new Problem('invalid_token');
  const token = await findBearer(sql, hashBearer(secret));
  if (token === null) throw new Problem('invalid_token');
  const caller = callerOfToken(token, nowMs);
  if (token.last_used_at === null || token.last_used_at < nowMs - touchEveryMs) await touchToken(sql, token.id, nowMs);
  return caller;
}
