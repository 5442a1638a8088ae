import type { default as Router, RouterContext } from '@koa/router';
import type Koa from 'koa';
import type pg from 'pg';
import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { RecordChange } from '../../platform/audit/record.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { lazily, sendAsset } from '../../platform/http/asset.ts';
import { type BodyBudget, reserveBodyFor } from '../../platform/http/bodies/body-budget.ts';
import { parseBody } from '../../platform/http/bodies/parse-body.ts';
import { readBody } from '../../platform/http/bodies/read-body.ts';
import type { Caller } from '../../platform/http/endpoint/endpoint.ts';
import type { CallerKey } from '../../platform/http/limits/caller-address.ts';
import type { RequestState } from '../../platform/http/middleware/request-id.ts';
import { Problem } from '../../platform/http/problem.ts';
import { type Assets, loadAssets } from './assets.ts';
import { dashboardPage, pageHeaders } from './page.ts';
import { frameHeaders, framePage } from './preview-frame.ts';
import { isSameOrigin } from './same-origin.ts';
import { expiredCookie, newSession, type Session, sessionCookie } from './session.ts';
import { refusalEntry, sessionEntry } from './session-audit.ts';
import { endSessionOf, findSession, type SessionServices } from './sessions.ts';

export type DashboardServices = SessionServices & {
  callerKey: CallerKey;
  /** How long a session lasts from sign-in. */
  sessionMs: number;
  /** For forms, by the address they come from. */
  forms: BodyBudget;
  /** Charges one sign-in to the caller's address; throws `rate_limited`. */
  charge(address: string): Promise<void>;
  /** False if so many sign-ins were refused lately that the next ones are not recorded. */
  mayRecordRefusal(): Promise<boolean>;
  pool: pg.Pool;
  recordChange: RecordChange;
};

type SessionContext = RouterContext<RequestState>;

const signInSchema = z.object({ token: z.string().trim().max(200) });

const assets = lazily(() => loadAssets(dashboardPage));

/** Identifies the dashboard's files. */
export async function dashboardVersion(): Promise<string> {
  return (await assets()).version;
}

/** Adds the operators' dashboard: its page at `/`, its files, sign-in and sign-out. All its data comes from the API. */
export function addDashboard(router: Router, services: DashboardServices): void {
  router.get('/', async context => sendPage(context, await assets()));
  router.get('/wall', async context => sendPage(context, await assets()));
  router.get('/dashboard/preview', sendFrame);
  router.get('/dashboard/assets/:version/:name', async context => sendFile(context, await assets()));
  router.get('/dashboard/session', context => showSession(context, services));
  router.post('/dashboard/session', context => signIn(context as SessionContext, services));
  router.delete('/dashboard/session', context => signOut(context as SessionContext, services));
}

function sendPage(context: Koa.Context, assets: Assets): void {
  context.set(pageHeaders);
  context.set('Cache-Control', 'no-cache');
  sendAsset(context, assets.page);
}

/** The empty document in which the dashboard shows pages: what it holds comes by a message. */
function sendFrame(context: Koa.Context): void {
  context.set(frameHeaders);
  context.set('Cache-Control', 'no-cache');
  context.type = 'text/html; charset=utf-8';
  context.body = framePage;
}

/** Another version's address gets this version's file: in a rolling restart the page may come from another replica. */
function sendFile(context: RouterContext, assets: Assets): void {
  const { version, name } = context.params;
  const asset = assets.find(name ?? '');
  if (asset === null) throw new Problem('not_found');
  context.set(pageHeaders);
  context.set('Cache-Control', version === assets.version ? 'public, max-age=31536000, immutable' : 'no-cache');
  sendAsset(context, asset);
}

async function showSession(context: Koa.Context, services: DashboardServices): Promise<void> {
  requireSameOrigin(context);
  const found = await findSession(context.headers, services);
  sendJson(context, 200, found === null ? { signed_in: false } : view(found.session, found.caller));
}

async function signIn(context: SessionContext, services: DashboardServices): Promise<void> {
  requireSameOrigin(context);
  const owner = services.callerKey(context.req);
  await services.charge(owner);
  const { forms } = services;
  const reserved = reserveBodyFor(context.res, forms, { caller: owner, owner });
  const body = await readBody(context.req, forms.bodyBytesMax, reserved.take);
  const { token } = await parseBody(signInSchema, body.parse().json ?? {});
  const nowMs = services.clock.now();
  const { requestId } = context.state;
  const caller = await services.authenticate(`Bearer ${token}`).catch(async error => {
    const refusal = await refusalEntry(services.sql, token, error, requestId);
    if (refusal !== null && (await services.mayRecordRefusal()))
      await services.recordChange(services.sql, refusal.origin, refusal.change, nowMs);
    throw error;
  });
  const session = newSession(token, services.sessionMs, nowMs);
  const { origin, change } = sessionEntry('session.created', { session, caller }, requestId);
  await services.recordChange(services.sql, origin, change, nowMs);
  context.set('Set-Cookie', sessionCookie(session, services.keyring, services.secure, nowMs));
  sendJson(context, 201, view(session, caller));
}

async function signOut(context: SessionContext, services: DashboardServices): Promise<void> {
  requireSameOrigin(context);
  const found = await findSession(context.headers, services);
  await transaction(services.pool, async sql => {
    await endSessionOf(context.headers, { ...services, sql });
    if (found === null) return;
    const { origin, change } = sessionEntry('session.ended', found, context.state.requestId);
    await services.recordChange(sql, origin, change, services.clock.now());
  });
  context.set('Set-Cookie', expiredCookie(services.secure));
  context.set('Cache-Control', 'no-store');
  context.status = 204;
}

function view(session: Session, caller: Caller): unknown {
  return {
    signed_in: true,
    csrf_token: session.csrf,
    expires_at: toTimestamp(session.expiresAt),
    project_id: caller.projectId,
    token_id: caller.actor.id,
    scopes: caller.scopes,
  };
}

function requireSameOrigin(context: Koa.Context): void {
  if (!isSameOrigin(context.headers)) {
    throw new Problem('origin_not_allowed', { detail: 'sign in from the dashboard itself' });
  }
}

function sendJson(context: Koa.Context, status: number, body: unknown): void {
  context.set('Cache-Control', 'no-store');
  context.status = status;
  context.type = 'application/json';
  context.body = JSON.stringify(body);
}
