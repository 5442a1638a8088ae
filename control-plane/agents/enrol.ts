import type { Sql } from '../db/sql.ts';
import { hashBearer, newBearer } from '../secrets/bearer.ts';
import { type EnrolledAgent, insertAgent } from './store.ts';

/** Makes an agent's identity; the answer alone holds the secret. Null when the region does not exist. */
export async function enrolAgent(
  sql: Sql,
  region: string,
  name: string,
  nowMs: number,
): Promise<(EnrolledAgent & { secret: string }) | null> {
  const secret = newBearer('upa');
  const agent = await insertAgent(sql, { region, name, secretHash: hashBearer(secret) }, nowMs);
  return agent === null ? null : { ...agent, secret };
}
