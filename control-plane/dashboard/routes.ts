import type Router from '@koa/router';
import type Koa from 'koa';
import { z } from 'zod';
import type { Clock } from '#shared/clock.ts';
import { toTimestamp } from '#shared/clock.ts';
import { callerAddress, type TrustedProxies } from '../http/caller-address.ts';
import type { Caller } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { readBody } from '../http/read-body.ts';
import { parseBody } from '../http/validate.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { type Assets, openAssets } from './assets.ts';
import { dashboardPage, pageHeaders } from './page.ts';
import { isSameOrigin } from './same-origin.ts';
import { authorizationOf, endedCookie, newSession, readSession, type Session, sessionCookie } from './session.ts';

export type DashboardServices = {
  keyring: Keyring;
  clock: Clock;
  /** True when the dashboard is reached by https: the cookie is for https only then. */
  secure: boolean;
  /** Who sends this Authorization header; throws a 401 problem. */
  authenticate(header: string): Promise<Caller>;
  trustedProxies: TrustedProxies;
  /** Charges one sign-in to the caller's address; throws `rate_limited`. */
  charge(address: string): Promise<void>;
};

const signInSchema = z.object({ token: z.string().trim().max(200) });

/** The operators' dashboard: its page at `/`, its files, and signing in and out. All it shows comes from the API. */
export function addDashboard(router: Router, services: DashboardServices): void {
  const assets = openAssets();
  router.get('/', async context => sendPage(context, await assets()));
  router.get('/dashboard/assets/:version/*path', async context => sendAsset(context, await assets()));
  router.get('/dashboard/session', context => showSession(context, services));
  router.post('/dashboard/session', context => signIn(context, services));
  router.delete('/dashboard/session', context => signOut(context, services));
}

function sendPage(context: Koa.Context, assets: Assets): void {
  context.set(pageHeaders);
  context.set('Cache-Control', 'no-cache');
  const page = assets.page(dashboardPage);
  sendBytes(context, page, `"${page.hash}"`);
}

/** A file of another version is answered with this one's: during a rolling restart the page may come from another replica. */
function sendAsset(context: Koa.Context, assets: Assets): void {
  const { version, path } = (context as Koa.Context & { params: Record<string, string> }).params;
  const asset = assets.find(path ?? '');
  if (asset === null) throw new Problem('not_found');
  context.set(pageHeaders);
  context.set('Cache-Control', version === assets.version ? 'public, max-age=31536000, immutable' : 'no-cache');
  sendBytes(context, asset, `"${asset.hash}"`);
}

function sendBytes(context: Koa.Context, asset: { type: string; plain: Buffer; brotli: Buffer }, etag: string): void {
  context.set('ETag', etag);
  context.set('Vary', 'Accept-Encoding');
  context.type = asset.type;
  context.status = 200;
  if (context.fresh) {
    context.status = 304;
    return;
  }
  const compressed = context.acceptsEncodings('br', 'identity') === 'br';
  if (compressed) context.set('Content-Encoding', 'br');
  context.body = compressed ? asset.brotli : asset.plain;
}

async function showSession(context: Koa.Context, services: DashboardServices): Promise<void> {
  requireSameOrigin(context);
  const session = readSession(context.headers, services.keyring, services.secure, services.clock.now());
  const caller = session === null ? null : await callerOf(session, services);
  sendJson(context, 200, session === null || caller === null ? { signed_in: false } : view(session, caller));
}

async function signIn(context: Koa.Context, services: DashboardServices): Promise<void> {
  requireSameOrigin(context);
  await services.charge(callerAddress(context.req, services.trustedProxies));
  const { token } = await parseBody(signInSchema, (await readBody(context.req)).json ?? {});
  const caller = await services.authenticate(`Bearer ${token}`);
  const session = newSession(token, services.clock.now());
  context.set('Set-Cookie', sessionCookie(session, services.keyring, services.secure));
  sendJson(context, 201, view(session, caller));
}

async function signOut(context: Koa.Context, services: DashboardServices): Promise<void> {
  requireSameOrigin(context);
  const { keyring, secure, clock } = services;
  if (authorizationOf(context.headers, keyring, secure, clock.now()) === undefined) throw new Problem('missing_token');
  context.set('Set-Cookie', endedCookie(secure));
  context.set('Cache-Control', 'no-store');
  context.status = 204;
}

/** Null when the token was revoked or has expired: then nobody is signed in. */
async function callerOf(session: Session, services: DashboardServices): Promise<Caller | null> {
  try {
    return await services.authenticate(`Bearer ${session.token}`);
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null;
    throw error;
  }
}

function view(session: Session, caller: Caller): unknown {
  return {
    signed_in: true,
    csrf_token: session.csrf,
    expires_at: toTimestamp(session.expiresAt),
    project_id: caller.projectId,
    token_id: caller.tokenId,
    scopes: caller.scopes,
  };
}

function requireSameOrigin(context: Koa.Context): void {
  if (!isSameOrigin(context.headers)) {
    throw new Problem('origin_not_allowed', { detail: 'signing in works from the dashboard itself only' });
  }
}

function sendJson(context: Koa.Context, status: number, body: unknown): void {
  context.set('Cache-Control', 'no-store');
  context.status = status;
  context.type = 'application/json';
  context.body = JSON.stringify(body);
}
