import type { Change, Effect } from '../audit/entry.ts';
import type { Sql } from '../db/sql.ts';
import { lockToken, revokeMadeBy, revokeToken } from './store.ts';

/**
 * Revokes a token and, unless they are kept, all that it made, and those made, and so on. Returns the entry for the
 * audit; null if the project has no such token. One level after the other: a token that is being made meanwhile has
 * locked its maker, so it is either found on the next level, or refused because its maker is revoked.
 */
export async function revokeTokens(
  sql: Sql,
  target: { projectId: string; id: string; keepDescendants: boolean },
  nowMs: number,
): Promise<Change | null> {
  const { projectId, id, keepDescendants } = target;
  const token = await lockToken(sql, projectId, id);
  if (token === null) return null;
  await revokeToken(sql, projectId, id, nowMs);
  const also: Effect[] = [];
  for (let makers = keepDescendants ? [] : [id]; makers.length > 0; ) {
    const made = await revokeMadeBy(sql, projectId, makers, nowMs);
    const revoked = made.filter(child => child.isRevokedNow);
    also.push(...revoked.map(child => ({ resource: 'token' as const, ...revocation({ ...child, revoked_at: null }) })));
    makers = made.map(child => child.id);
  }
  return { action: 'token.revoked', ...revocation(token), also };
}

function revocation({ id, name, revoked_at: revokedAt }: { id: string; name: string; revoked_at: number | null }) {
  return { subject: id, name, before: { revoked: revokedAt !== null }, after: { revoked: true } };
}
