import type { default as Router } from '@koa/router';
import type Koa from 'koa';
import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/http/problem.ts';
import { recordEverywhere } from '../people/record.ts';
import { refusalEntry, sessionFields, tokenSessionEntry } from '../sessions/audit.ts';
import { callerIn, findSession, type OpenSession } from '../sessions/caller-of.ts';
import { csrfOf, expiredCookie, isEqualText, readCookie } from '../sessions/cookie.ts';
import { requireSameOrigin } from '../sessions/same-origin.ts';
import { endSession } from '../sessions/store.ts';
import { beginSession } from './begin-session.ts';
import { readPosted, type SignInContext, sendJson } from './exchange.ts';
import type { SignInServices } from './services.ts';
import { viewSession, waysIn } from './session-view.ts';

const signInSchema = z.object({ token: z.string().trim().max(200) });

/** Adds the dashboard's session: what it is, signing in by a token, signing out. */
export function addSessionRoutes(router: Router, services: SignInServices): void {
  router.get('/dashboard/session', context => showSession(context, services));
  router.post('/dashboard/session', context => signIn(context as SignInContext, services));
  router.delete('/dashboard/session', context => signOut(context as SignInContext, services));
}

async function showSession(context: Koa.Context, services: SignInServices): Promise<void> {
  requireSameOrigin(context.headers, services.baseUrl);
  const found = await findSession(context.headers, services, null);
  sendJson(context, 200, found === null ? signedOut(services) : await viewOrNone(found, services));
}

function signedOut(services: SignInServices) {
  return { signed_in: false, ...waysIn(services) };
}

/** A session of a token that has ended is none. */
async function viewOrNone(session: OpenSession, services: SignInServices): Promise<unknown> {
  try {
    return await viewSession(services.sql, session, callerIn(session, services, null, 'anywhere'), services);
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return signedOut(services);
    throw error;
  }
}

async function signIn(context: SignInContext, services: SignInServices): Promise<void> {
  const { token } = await readPosted(context, services, signInSchema);
  if (!services.settings.methods.includes('token')) throw new Problem('method_disabled');
  const { requestId } = context.state;
  const caller = await services.authenticate(`Bearer ${token}`).catch(async error => {
    const refusal = await refusalEntry(services.sql, token, error, requestId);
    if (refusal !== null && (await services.mayRecordRefusal(refusal.change.subject)))
      await services.recordChange(services.sql, refusal.origin, refusal.change, services.clock.now());
    throw error;
  });
  const view = await transaction(services.pool, sql => beginSession(sql, context, services, { type: 'token', caller }));
  sendJson(context, 201, view);
}

/** Ends the session for good, also for whoever has a copy of its cookie. Again is no error. */
async function signOut(context: SignInContext, services: SignInServices): Promise<void> {
  requireSameOrigin(context.headers, services.baseUrl);
  const cookie = readCookie(context.headers, services.secure);
  const nowMs = services.clock.now();
  if (cookie === null || !isEqualText(csrfOf(cookie), String(context.headers['x-csrf-token'] ?? '')))
    throw new Problem('missing_token');
  const found = await findSession(context.headers, services, null);
  if (found !== null) await transaction(services.pool, sql => endFound(sql, found, context, services, nowMs));
  context.set('Set-Cookie', expiredCookie(services.secure));
  context.set('Cache-Control', 'no-store');
  context.status = 204;
}

async function endFound(
  sql: Sql,
  session: OpenSession,
  context: SignInContext,
  services: SignInServices,
  nowMs: number,
): Promise<void> {
  const { requestId } = context.state;
  if (session.row.person !== null) {
    const { id, person, token } = session.row;
    if ((await endSession(sql, id, nowMs)) === null) return;
    const origin = {
      actor: { type: 'person', id: person.id, name: person.name, token: token && { id: token.id, name: token.name } },
      via: 'dashboard',
      requestId,
      planId: null,
    } as const;
    const before = { ...sessionFields(session.row), reason: 'signed_out' };
    const change = { action: 'session.ended', subject: id, name: person.name, before, after: null } as const;
    await recordEverywhere(sql, services.recordChange, { personId: person.id, origin, change }, nowMs);
    return;
  }
  const { actor, projectId } = callerIn(session, services, null, 'anywhere');
  await endSession(sql, session.row.id, nowMs);
  const about = { expiresAt: session.row.expires_at, token: { ...actor, projectId } };
  const { origin, change } = tokenSessionEntry('session.ended', about, requestId);
  await services.recordChange(sql, origin, change, nowMs);
}
