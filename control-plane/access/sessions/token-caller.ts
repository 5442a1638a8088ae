import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { Problem } from '../../platform/http/problem.ts';
import { type Role, scopesWithin } from '../../platform/projects/roles.ts';

/** A token as a request reads it, with whose it is and what they are in its project; instants in milliseconds. */
export type FoundToken = {
  id: string;
  name: string;
  project_id: string;
  scopes: string[];
  expires_at: number | null;
  revoked_at: number | null;
  /** Null for a service token, which is nobody's. */
  person: { id: string; name: string; operator: boolean; state: string } | null;
  role: Role | null;
};

/**
 * Who calls by a token: itself, or the person whose it is, with no more than their role of now allows. Throws a 401
 * problem for one that has ended: also with the membership of its person, on whatever replica that ended.
 */
export function callerOfToken(token: FoundToken, nowMs: number): Caller {
  const { id, name, project_id: projectId, expires_at: expiresAt, person, role } = token;
  if (token.revoked_at !== null) throw new Problem('token_revoked');
  if (expiresAt !== null && expiresAt <= nowMs) throw new Problem('token_expired');
  if (person === null) return { actor: { type: 'token', id, name }, projectId, scopes: token.scopes, expiresAt };
  if (person.state !== 'active' || role === null) throw new Problem('token_revoked');
  const scopes = scopesWithin(token.scopes, role, person.operator);
  const actor = { type: 'person', id: person.id, name: person.name, token: { id, name } } as const;
  return { actor, projectId, scopes, expiresAt, member: { projectId, role, scopes } };
}
