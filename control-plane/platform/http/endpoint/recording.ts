import type { Change, Origin } from '../../audit/entry.ts';
import type { Caller } from './caller.ts';
import type { Endpoint } from './endpoint.ts';

/** Who changes something by a request to the endpoint, and how. */
export function originOf({ via }: Pick<Endpoint, 'via'>, caller: Caller, requestId: string): Origin {
  return {
    projectId: isOutside(caller) ? null : caller.projectId,
    actor: caller.actor,
    via: via ?? (caller.session !== undefined ? 'dashboard' : 'api'),
    requestId,
    planId: null,
  };
}

/** Whether somebody acts outside of all projects. */
function isOutside({ actor, projectId }: Pick<Caller, 'actor' | 'projectId'>): boolean {
  return projectId === actor.id;
}

/** Throws for a change that the endpoint does not declare: the OpenAPI document would not name it. */
export function requireDeclared({ audit = [], method, path }: Endpoint, { action }: Change): void {
  if (!audit.includes(action)) throw new Error(`${method} ${path} does not declare ${action}`);
}
