import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#shared/clock.ts';
import { minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { Problem } from '../../platform/http/problem.ts';
import { scopesOfRole } from '../../platform/projects/roles.ts';
import { hashBearer, isBearer } from '../../platform/secrets/bearer.ts';
import { csrfOf, isEqualText, readCookie } from './cookie.ts';
import { requireSameOrigin } from './same-origin.ts';
import { type FoundSession, findSessionByHash, touchSession } from './store.ts';
import { callerOfToken } from './token-caller.ts';

export type SessionServices = {
  sql: Sql;
  clock: Clock;
  /** Whether operators reach the dashboard over https; then the cookie is sent over https only. */
  secure: boolean;
  /** PUBLIC_URL. */
  baseUrl: string;
  /** How people may sign in, and show again that it is them. */
  settings: { methods: readonly string[] };
  /** The token of this Authorization header; throws a 401 problem. */
  authenticate(header: string | undefined): Promise<Caller>;
};

/** Where a request acts: in a project, or outside of all. */
export type Where = 'project' | 'anywhere';

/** A session that goes on, with the CSRF token that its requests need. */
export type OpenSession = { csrf: string; row: FoundSession };

const touchEveryMs = minuteMs;

/**
 * The caller of a request: the token of its Authorization header, else who its session is of. Session, person, token
 * and membership are read on each request: what ended is refused at once on every replica. Throws a 401 problem, or
 * `not_a_member` for a project that is not the caller's.
 */
export async function callerOf(
  headers: IncomingHttpHeaders,
  services: SessionServices,
  where: Where = 'project',
): Promise<Caller> {
  const asked = projectOf(headers);
  if (headers.authorization) return inProject(await services.authenticate(headers.authorization), asked);
  const session = await findSession(headers, services, asked);
  if (session === null || !isEqualText(session.csrf, String(headers['x-csrf-token'] ?? '')))
    throw new Problem('missing_token');
  requireSameOrigin(headers, services.baseUrl);
  return callerIn(session, services, asked, where);
}

/** The session in the request's cookie, whatever else it carries; null without one that goes on. */
export async function findSession(
  headers: IncomingHttpHeaders,
  { sql, clock, secure }: SessionServices,
  projectId: string | null = projectOf(headers),
): Promise<OpenSession | null> {
  const cookie = readCookie(headers, secure);
  if (cookie === null || !isBearer('ups', cookie)) return null;
  const nowMs = clock.now();
  const row = await findSessionByHash(sql, hashBearer(cookie), projectId);
  if (row === null || row.ended_at !== null || row.expires_at <= nowMs) return null;
  if (row.last_seen_at < nowMs - touchEveryMs) await touchSession(sql, row, nowMs);
  return { csrf: csrfOf(cookie), row };
}

/** Who a session is of. Throws a 401 problem if its token has ended. */
export function callerIn(
  { row }: OpenSession,
  services: Pick<SessionServices, 'clock' | 'settings'>,
  asked: string | null,
  where: Where,
): Caller {
  if (row.token !== null) {
    const { token, token_expires_at: expires_at, token_revoked_at: revoked_at, person, role } = row;
    const caller = callerOfToken({ ...token, expires_at, revoked_at, person, role }, services.clock.now());
    // A token confirms nothing: a session by it never does what needs that.
    const inside = inProject({ ...caller, session: { id: row.id, confirmedAtMs: null } }, asked);
    return person !== null && where === 'anywhere' ? { ...inside, projectId: person.id } : inside;
  }
  if (row.person === null) throw new Problem('missing_token');
  const ways = [...(row.has_passkey ? ['passkey'] : []), ...(row.has_account ? ['oidc'] : [])];
  const methods = ways.filter(way => services.settings.methods.includes(way));
  return personIn(row, row.person, { id: row.id, confirmedAtMs: row.confirmed_at, methods }, asked, where);
}

function personIn(
  { role }: FoundSession,
  { id, name, operator, state }: NonNullable<FoundSession['person']>,
  session: NonNullable<Caller['session']>,
  asked: string | null,
  where: Where,
): Caller {
  if (state !== 'active') throw new Problem('missing_token');
  const common = { actor: { type: 'person', id, name }, operator, expiresAt: null, session } as const;
  const scopes = role === null ? [] : scopesOfRole(role, operator);
  const member = role === null || asked === null ? {} : { member: { projectId: asked, role, scopes } };
  if (where === 'anywhere') return { ...common, ...member, projectId: id, scopes: [] };
  if (asked === null) {
    const detail = 'the header X-Project-Id must name the project';
    const error = { parameter: 'X-Project-Id', code: 'required', detail } as const;
    throw new Problem('invalid_parameter', { detail, errors: [error] });
  }
  if (role === null) throw new Problem('not_a_member');
  return { ...common, ...member, projectId: asked, scopes };
}

/** A token's project needs no header; another one's is refused. */
function inProject(caller: Caller, asked: string | null): Caller {
  if (asked !== null && asked !== caller.projectId) throw new Problem('not_a_member');
  return caller;
}

/** The project that a request names; null without one. What cannot be an id is nobody's. */
function projectOf(headers: IncomingHttpHeaders): string | null {
  const header = headers['x-project-id'];
  if (header === undefined || header === '') return null;
  const text = String(header);
  return /^[a-z0-9_]{1,40}$/.test(text) ? text : '';
}
