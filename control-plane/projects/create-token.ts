import type { Sql } from '../db/sql.ts';
import { hashBearer, newBearer } from '../secrets/bearer.ts';
import { insertToken } from './store.ts';
import type { TokenView } from './token.ts';

/** Makes a token; the answer alone holds the secret. */
export async function createToken(
  sql: Sql,
  token: { projectId: string; name: string; scopes: readonly string[]; expiresAt: number | null },
  nowMs: number,
): Promise<TokenView & { token: string }> {
  const secret = newBearer('upq');
  const view = await insertToken(sql, { ...token, hash: hashBearer(secret) }, nowMs);
  return { ...view, token: secret };
}
