import type { Effect } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { revokeTokens } from '../../platform/projects/revoke-token.ts';
import { listPersonalTokens } from './store.ts';

/**
 * Revokes the tokens of a person, of one project or of all, with what these made. Returns what that was, by project:
 * the audit of one names nothing of another.
 */
export async function revokePersonalTokens(
  sql: Sql,
  { personId, projectId }: { personId: string; projectId: string | null },
  nowMs: number,
): Promise<ReadonlyMap<string, Effect[]>> {
  const effects = new Map<string, Effect[]>();
  for (const token of await listPersonalTokens(sql, personId, projectId)) {
    const revoked = await revokeAsEffects(sql, token, nowMs);
    effects.set(token.projectId, [...(effects.get(token.projectId) ?? []), ...revoked]);
  }
  return effects;
}

/** Revokes a token with what it made, as what another change also did. */
export async function revokeAsEffects(
  sql: Sql,
  { projectId, id }: { projectId: string; id: string },
  nowMs: number,
): Promise<Effect[]> {
  const revoked = await revokeTokens(sql, { projectId, id, keepDescendants: false }, nowMs);
  if (revoked === null) return [];
  const { action: _, also = [], ...difference } = revoked;
  return [{ resource: 'token', ...difference }, ...also];
}
