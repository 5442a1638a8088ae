import { allows } from '../../platform/http/endpoint/caller.ts';
import { Problem } from '../../platform/http/problem.ts';
import { orderedKinds } from './kinds.ts';

/** Throws `insufficient_scope` unless the scopes allow this with each of the types. */
export function requireScopes(types: readonly string[], scopes: readonly string[], right: 'read' | 'write'): void {
  for (const { type, scope } of orderedKinds)
    if (types.includes(type) && !allows(scopes, `${scope}:${right}`))
      throw new Problem('insufficient_scope', { detail: `these resources need the scope ${scope}:${right}` });
}
