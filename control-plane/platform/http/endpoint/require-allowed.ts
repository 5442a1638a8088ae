import { minuteMs } from '#shared/duration.ts';
import { Problem } from '../problem.ts';
import { allows, type Caller, isPersonInSession } from './caller.ts';
import { type Endpoint, scopesOf } from './endpoint.ts';

/** For how long somebody who has shown that it is them may do what needs it. */
export const confirmedForMs = 10 * minuteMs;

/** Throws unless the caller may use the endpoint: what it is, which scopes it has, and whether a person is the one. */
export function requireAllowed(
  endpoint: Pick<Endpoint, 'peopleOnly' | 'operatorOnly' | 'confirmed' | 'scope' | 'secondScope' | 'requireCaller'>,
  caller: Caller,
  nowMs: number,
): void {
  const isPerson = isPersonInSession(caller);
  if (endpoint.peopleOnly === true) requirePerson(caller);
  if (endpoint.operatorOnly === true && caller.operator !== true)
    throw new Problem('insufficient_scope', { detail: 'only people who run the installation may do this' });
  for (const scope of scopesOf(endpoint))
    if (!allows(caller.scopes, scope))
      throw new Problem('insufficient_scope', { detail: `this endpoint needs the scope ${scope}` });
  endpoint.requireCaller?.(caller);
  if (endpoint.confirmed === true && isPerson) requireConfirmed(caller, nowMs);
}

/** Throws `person_required` for tokens, and for a session that one opened: it can do no more than the token. */
export function requirePerson(caller: Caller): void {
  if (!isPersonInSession(caller)) throw new Problem('person_required');
  const detail = 'a session that a token opened can do no more than the token';
  if (caller.actor.token !== undefined) throw new Problem('person_required', { detail });
}

/** Throws `confirmation_required` unless the person of a session has lately shown that it is them. */
export function requireConfirmed({ session }: Pick<Caller, 'session'>, nowMs: number): void {
  const atMs = session?.confirmedAtMs ?? null;
  if (atMs === null || atMs < nowMs - confirmedForMs)
    throw new Problem('confirmation_required', { extra: { methods: session?.methods ?? [] } });
}
