import type { Sql } from '../db/sql.ts';
import { revokeMadeBy, revokeToken } from './store.ts';

/**
 * Revokes a token and, unless they are kept, all that it made, and those made, and so on. False if the project has no
 * such token. One level after the other: a token that is being made meanwhile has locked its maker, so it is either
 * found on the next level, or refused because its maker is revoked.
 */
export async function revokeTokens(
  sql: Sql,
  target: { projectId: string; id: string; keepDescendants: boolean },
  nowMs: number,
): Promise<boolean> {
  const { projectId, id, keepDescendants } = target;
  if (!(await revokeToken(sql, projectId, id, nowMs))) return false;
  let makers = keepDescendants ? [] : [id];
  while (makers.length > 0) makers = await revokeMadeBy(sql, projectId, makers, nowMs);
  return true;
}
