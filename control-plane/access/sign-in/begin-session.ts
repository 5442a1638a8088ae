import type { Sql } from '../../platform/db/sql.ts';
import { type Caller, keyOf } from '../../platform/http/endpoint/caller.ts';
import { hashBearer, newBearer } from '../../platform/secrets/bearer.ts';
import { recordEverywhere } from '../people/record.ts';
import { sessionFields, tokenSessionEntry } from '../sessions/audit.ts';
import { callerIn, findSession } from '../sessions/caller-of.ts';
import { csrfOf, readCookie, sessionCookie } from '../sessions/cookie.ts';
import { endSession, findSessionByHash, insertSession, type SignInMethod } from '../sessions/store.ts';
import type { SignInContext } from './exchange.ts';
import { followOperators } from './operators.ts';
import type { SignInServices } from './services.ts';
import { viewSession } from './session-view.ts';

const userAgentMax = 200;
const noProvider = { sid: null, logoutUrl: null };

/** Who signs in: a token, or a person. */
export type Arrival =
  | { type: 'token'; caller: Caller }
  | {
      type: 'person';
      id: string;
      name: string;
      method: Exclude<SignInMethod, 'token'>;
      /** Of a sign-in by the identity provider. */
      provider?: { sid: string | null; logoutUrl: string | null };
    };

/**
 * Signs in, in the transaction that says so: a new session with a new secret in the cookie. The session that the
 * browser had ends. Returns what the dashboard shows of the session.
 */
export async function beginSession(
  sql: Sql,
  context: SignInContext,
  services: SignInServices,
  arrival: Arrival,
): Promise<unknown> {
  const nowMs = services.clock.now();
  await endFormer(sql, context, services, nowMs);
  // The provider's answer, which may change the address, has been followed.
  if (arrival.type === 'person' && arrival.method !== 'oidc')
    await followOperators(sql, { id: arrival.id, requestId: context.state.requestId }, services);
  const { provider = noProvider } = arrival.type === 'person' ? arrival : {};
  const secret = newBearer('ups');
  const row = await insertSession(
    sql,
    {
      hash: hashBearer(secret),
      person_id: arrival.type === 'person' ? arrival.id : null,
      token_id: arrival.type === 'token' ? keyOf(arrival.caller) : null,
      method: arrival.type === 'person' ? arrival.method : 'token',
      user_agent: String(context.headers['user-agent'] ?? '').slice(0, userAgentMax),
      confirmed_at: arrival.type === 'person' ? nowMs : null,
      expiresAt: nowMs + services.sessionMs,
      providerSid: provider.sid,
      logoutUrl: provider.logoutUrl,
    },
    nowMs,
  );
  await record(sql, context, services, arrival, { id: row.id, expiresAt: row.expires_at }, nowMs);
  const found = await findSessionByHash(sql, hashBearer(secret), null);
  if (found === null) throw new Error('inserting gave no session');
  const session = { csrf: csrfOf(secret), row: found };
  context.append('Set-Cookie', sessionCookie(secret, services.sessionMs, services.secure));
  return viewSession(sql, session, callerIn(session, services, null, 'anywhere'), services);
}

/** A browser has one session. */
async function endFormer(sql: Sql, context: SignInContext, services: SignInServices, nowMs: number): Promise<void> {
  if (readCookie(context.headers, services.secure) === null) return;
  const former = await findSession(context.headers, services);
  if (former !== null) await endSession(sql, former.row.id, nowMs);
}

async function record(
  sql: Sql,
  context: SignInContext,
  { recordChange }: SignInServices,
  arrival: Arrival,
  session: { id: string; expiresAt: number },
  nowMs: number,
): Promise<void> {
  const { requestId } = context.state;
  if (arrival.type === 'token' && arrival.caller.actor.type === 'token') {
    const { actor, projectId } = arrival.caller;
    const about = { expiresAt: session.expiresAt, token: { ...actor, projectId } };
    const { origin, change } = tokenSessionEntry('session.created', about, requestId);
    await recordChange(sql, origin, change, nowMs);
    return;
  }
  const method = arrival.type === 'token' ? 'token' : arrival.method;
  const { id, name, token } = arrival.type === 'token' ? arrival.caller.actor : { ...arrival, token: undefined };
  const actor = { type: 'person', id, name, token: token ?? null } as const;
  const origin = { actor, via: 'dashboard', requestId, planId: null } as const;
  const after = sessionFields({ expires_at: session.expiresAt, method });
  const change = { action: 'session.created', subject: session.id, name, before: null, after } as const;
  await recordEverywhere(sql, recordChange, { personId: id, origin, change }, nowMs);
}
