import type { Sql } from '../../platform/db/sql.ts';
import { hashBearer, newBearer } from '../../platform/secrets/bearer.ts';
import { type EnrolledAgent, insertAgent } from './store.ts';

/** Creates an agent with a new secret, which is returned only here. Null if the region does not exist. */
export async function enrollAgent(
  sql: Sql,
  region: string,
  name: string,
  nowMs: number,
): Promise<(EnrolledAgent & { secret: string }) | null> {
  const secret = newBearer('upa');
  const agent = await insertAgent(sql, { region, name, secretHash: hashBearer(secret) }, nowMs);
  return agent === null ? null : { ...agent, secret };
}
