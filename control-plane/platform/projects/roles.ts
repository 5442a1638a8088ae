import { allows, operatorScope } from '../http/endpoint/caller.ts';
import { allScopes } from './token.ts';

/** What a person may be in a project, each with what the one before it may. */
export const roles = ['viewer', 'responder', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

/** The lowest role that has a scope. A scope that is not here belongs to no role: whoever adds one decides here. */
const lowest: Readonly<Record<string, Role>> = {
  ...readBy('viewer', 'project monitors alerts channels routes agents incidents status-pages components releases'),
  ...readBy('viewer', 'flows maintenances walls members secrets'),
  ...readBy('responder', 'events'),
  ...readBy('editor', 'audit subscribers'),
  ...readBy('admin', 'tokens users'),
  ...writtenBy('responder', 'alerts incidents maintenances'),
  ...writtenBy(
    'editor',
    'monitors components status-pages subscribers channels routes releases flows walls events secrets',
  ),
  ...writtenBy('admin', 'project tokens agents members users'),
};

/**
 * The scopes of a role, in the order in which tokens list them. Who runs the installation also has `agents:operate`
 * where they are admin.
 */
export function scopesOfRole(role: Role, isOperator = false): string[] {
  const rank = roles.indexOf(role);
  return allScopes.filter(scope => {
    if (scope === operatorScope) return isOperator && role === 'admin';
    const least = lowest[scope];
    return least !== undefined && roles.indexOf(least) <= rank;
  });
}

/** What a token of a person can do now: what it was given, as far as their role allows it. */
export function scopesWithin(given: readonly string[], role: Role, isOperator: boolean): string[] {
  return scopesOfRole(role, isOperator).filter(scope => allows(given, scope));
}

function readBy(role: Role, resources: string): Record<string, Role> {
  return Object.fromEntries(resources.split(' ').map(resource => [`${resource}:read`, role]));
}

function writtenBy(role: Role, resources: string): Record<string, Role> {
  return Object.fromEntries(resources.split(' ').map(resource => [`${resource}:write`, role]));
}
