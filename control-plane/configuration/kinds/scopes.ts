import type { ConfigType } from '#shared/config-types.ts';
import { allows } from '../../platform/http/endpoint/caller.ts';
import { Problem } from '../../platform/http/problem.ts';
import { orderedKinds } from './kinds.ts';

/** Throws `insufficient_scope` unless the scopes allow this with each of the types. */
export function requireScopes(types: readonly string[], scopes: readonly string[], right: 'read' | 'write'): void {
  for (const { type, scope } of orderedKinds)
    if (types.includes(type) && !allows(scopes, `${scope}:${right}`))
      throw new Problem('insufficient_scope', { detail: `these resources need the scope ${scope}:${right}` });
}

/** Whether the scopes only allow to look at the types. Throws `insufficient_scope` if they allow to read none. */
export function isReaderOf(types: readonly string[], scopes: readonly string[]): boolean {
  if (!orderedKinds.some(({ scope }) => allows(scopes, `${scope}:read`)))
    throw new Problem('insufficient_scope', { detail: 'plans need a scope such as monitors:read' });
  const written = orderedKinds.filter(({ scope }) => allows(scopes, `${scope}:write`)).map(({ type }) => type);
  return written.length === 0 || types.some(type => !written.includes(type as ConfigType));
}
