import type { Sql } from '../db/sql.ts';
import { Problem } from '../http/problem.ts';
import { hashBearer, newBearer } from '../secrets/bearer.ts';
import { insertToken, lockLivingToken, type NewToken } from './store.ts';
import type { TokenView } from './token.ts';

/**
 * Creates a token. Only this result contains the secret: it is stored as a hash. Throws `token_revoked` if the token
 * that makes it was revoked meanwhile.
 */
export async function createToken(
  sql: Sql,
  token: Omit<NewToken, 'hash' | 'createdBy'> & { createdBy?: NewToken['createdBy'] },
  nowMs: number,
): Promise<TokenView & { token: string }> {
  const secret = newBearer('upq');
  const { createdBy = null } = token;
  if (createdBy?.type === 'token' && !(await lockLivingToken(sql, createdBy.id))) throw new Problem('token_revoked');
  const view = await insertToken(sql, { ...token, createdBy, hash: hashBearer(secret) }, nowMs);
  return { ...view, token: secret };
}
