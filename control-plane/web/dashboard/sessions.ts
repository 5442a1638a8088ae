import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#shared/clock.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { endSession, isEnded } from './ended-session-store.ts';
import { confirmedSession, readSession, type Session } from './session.ts';

export type SessionServices = {
  sql: Sql;
  keyring: Keyring;
  clock: Clock;
  /** Whether operators reach the dashboard over https; then the cookie is sent over https only. */
  secure: boolean;
  /** The caller of this Authorization header; throws a 401 problem. */
  authenticate(header: string | undefined): Promise<Caller>;
};

/** The caller of a request: its own Authorization header, else its session. Throws a 401 problem without either. */
export async function callerOf(headers: IncomingHttpHeaders, services: SessionServices): Promise<Caller> {
  if (headers.authorization) return services.authenticate(headers.authorization);
  const { keyring, secure, clock } = services;
  const session = confirmedSession(headers, keyring, secure, clock.now());
  if (session === null || (await isEnded(services.sql, session))) throw new Problem('missing_token');
  return { ...(await services.authenticate(`Bearer ${session.token}`)), session: true };
}

/** The session in the request's cookie with its caller; null if it has ended, or its token was revoked or expired. */
export async function findSession(
  headers: IncomingHttpHeaders,
  services: SessionServices,
): Promise<{ session: Session; caller: Caller } | null> {
  const session = readSession(headers, services.keyring, services.secure, services.clock.now());
  if (session === null || (await isEnded(services.sql, session))) return null;
  try {
    return { session, caller: await services.authenticate(`Bearer ${session.token}`) };
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null;
    throw error;
  }
}

/** Ends the session of the request for good, also for whoever has a copy of its cookie. Throws `missing_token`. */
export async function endSessionOf(headers: IncomingHttpHeaders, services: SessionServices): Promise<void> {
  const session = confirmedSession(headers, services.keyring, services.secure, services.clock.now());
  if (session === null) throw new Problem('missing_token');
  await endSession(services.sql, session);
}
