import { randomBytes } from 'node:crypto';
import type { default as Router } from '@koa/router';
import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { requireConfirmed, requirePerson } from '../../platform/http/endpoint/require-allowed.ts';
import { Problem } from '../../platform/http/problem.ts';
import { hashBearer, isBearer } from '../../platform/secrets/bearer.ts';
import { type Claims, needsUserinfo, readClaims } from '../oidc/claims.ts';
import type { SignInError } from '../oidc/decide.ts';
import { type Provider, ProviderError } from '../oidc/provider.ts';
import { findKnownPerson } from '../oidc/store.ts';
import { requireRoom } from '../people/room.ts';
import { callerOf, findSession } from '../sessions/caller-of.ts';
import { readPosted, type SignInContext, sendJson } from './exchange.ts';
import { arriveBy, RefusedError } from './oidc-arrival.ts';
import { endedVisit, readVisit, type Visit, visitCookies, visitMs } from './oidc-cookie.ts';
import { recordRefusal } from './refusal.ts';
import type { SignInServices } from './services.ts';

const callbackPath = '/auth/oidc/callback';
/** After `prompt=login`, the sign-in at the provider is at most this old. */
const confirmAgeSeconds = 60;

const startSchema = z.object({
  purpose: z.enum(['sign_in', 'link', 'confirm']),
  invitation: z.string().max(200).nullable().default(null),
  return_to: z
    .string()
    .max(500)
    .regex(/^\/(?![/\\])[^\\\p{Cc}]*$/u, 'must be a path')
    .default('/')
    .catch('/'),
});

/** Adds signing in by the identity provider. */
export function addOidcRoutes(router: Router, services: SignInServices): void {
  router.post('/auth/oidc/start', context => start(context as SignInContext, services));
  router.get(callbackPath, context => arrive(context as SignInContext, services));
}

function requireProvider({ provider, settings }: SignInServices): Provider {
  if (provider === null || !settings.methods.includes('oidc')) throw new Problem('method_disabled');
  return provider;
}

/** Says where the browser has to go, and gives it what it has to bring back. */
async function start(context: SignInContext, services: SignInServices): Promise<void> {
  const provider = requireProvider(services);
  const asked = await readPosted(context, services, startSchema, 'chargeStart');
  const { keyring, clock, secure, baseUrl } = services;
  const own = asked.purpose === 'sign_in' ? null : await callerOf(context.headers, services, 'anywhere');
  if (own !== null) requirePerson(own);
  if (own !== null && asked.purpose === 'link') {
    requireConfirmed(own, clock.now());
    await requireRoom(services.sql, own.actor.id, 'identities');
  }
  const configuration = await provider.configuration().catch(() => {
    throw new Problem('unavailable', { detail: 'the identity provider does not answer, or is another one' });
  });
  const client = await import('openid-client');
  const { invitation } = asked;
  const visit: Visit = {
    state: randomBytes(32).toString('base64url'),
    nonce: randomBytes(32).toString('base64url'),
    verifier: client.randomPKCECodeVerifier(),
    purpose: asked.purpose,
    personId: own?.actor.id ?? null,
    sessionId: own?.session?.id ?? null,
    invitation:
      invitation !== null && isBearer('upi', invitation) ? hashBearer(invitation).toString('base64url') : null,
    returnTo: asked.return_to,
    expiresAt: clock.now() + visitMs,
  };
  const { settings } = provider;
  const [domain] = settings.allowedDomains;
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: `${baseUrl}${callbackPath}`,
    response_mode: 'query',
    scope: settings.scopes,
    state: visit.state,
    nonce: visit.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(visit.verifier),
    code_challenge_method: 'S256',
    ...(asked.purpose === 'confirm' ? { prompt: 'login', max_age: '0' } : {}),
    ...(settings.issuer === 'https://accounts.google.com' && domain !== undefined ? { hd: domain } : {}),
  });
  context.set('Set-Cookie', visitCookies(context.headers, visit, keyring, secure));
  sendJson(context, 200, { url: url.href });
}

/** Takes who comes back from the provider. Whatever is wrong leads to the page of signing in, which says it. */
async function arrive(context: SignInContext, services: SignInServices): Promise<void> {
  const { keyring, secure, clock } = services;
  const provider = requireProvider(services);
  await services.charge(services.callerKey(context.req));
  const state = new URLSearchParams(context.querystring).get('state') ?? '';
  const visit = readVisit(context.headers, state, keyring, secure, clock.now());
  if (visit === null) {
    // A reload of this address after a sign-in is no error.
    const isSignedIn = (await findSession(context.headers, services, null)) !== null;
    return redirect(context, isSignedIn ? '/' : errorPath('state_unknown'));
  }
  context.append('Set-Cookie', endedVisit(state, secure));
  const refused = await enterOrRefuse(context, services, provider, visit);
  redirect(context, refused === null ? visit.returnTo : errorPath(refused));
}

/** Lets in whom the provider vouches for, or records that it did not, and returns why. */
async function enterOrRefuse(
  context: SignInContext,
  services: SignInServices,
  provider: Provider,
  visit: Visit,
): Promise<SignInError | null> {
  let claims: Claims | null = null;
  const enter = async (): Promise<SignInError | null> => {
    const found = await claimsOf(context, services, provider, visit);
    claims = found;
    return transaction(services.pool, sql => arriveBy(sql, { context, services, visit, claims: found }));
  };
  const reason = await enter().catch((error: unknown) => {
    if (error instanceof RefusedError) return error.code;
    throw error;
  });
  if (reason === null || visit.purpose !== 'sign_in') return reason;
  const whose = async (sql: Sql) =>
    claims === null ? null : ((await findKnownPerson(sql, claims.issuer, claims.subject))?.id ?? null);
  await recordRefusal(services, { method: 'oidc', reason }, whose, context.state.requestId);
  return reason;
}

/** What the provider says of who comes. Throws RefusedError. */
async function claimsOf(
  context: SignInContext,
  { baseUrl, log }: SignInServices,
  provider: Provider,
  visit: Visit,
): Promise<Claims> {
  if (new URLSearchParams(context.querystring).has('error')) throw new RefusedError('provider_denied');
  const client = await import('openid-client');
  try {
    const configuration = await provider.configuration();
    const address = new URL(`${baseUrl}${callbackPath}${context.search}`);
    const tokens = await client.authorizationCodeGrant(configuration, address, {
      pkceCodeVerifier: visit.verifier,
      expectedState: visit.state,
      expectedNonce: visit.nonce,
      idTokenExpected: true,
    });
    const token = { ...tokens.claims() };
    // By the machine's clock, as the library judges the other times of the token.
    if (visit.purpose === 'confirm' && isStale(token.auth_time, Date.now())) throw new RefusedError('token_invalid');
    const hasMore =
      needsUserinfo(token, provider.settings) && configuration.serverMetadata().userinfo_endpoint !== undefined;
    const userinfo = hasMore ? await client.fetchUserInfo(configuration, tokens.access_token, String(token.sub)) : null;
    const claims = readClaims(token, userinfo, provider.settings);
    if (claims === null) throw new RefusedError('token_invalid');
    return claims;
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    const code = error instanceof ProviderError ? error.code : errorOf(error);
    // Neither the code nor a token may be in the log: errors of the library can hold both.
    log.warn({ code, reason: reasonOf(error) }, 'a sign-in by the identity provider failed');
    throw new RefusedError(code);
  }
}

/** Whether somebody was there too long ago. Some providers never say when: then it counts that they come back. */
function isStale(authTime: unknown, nowMs: number): boolean {
  return authTime !== undefined && !(Number(authTime) >= nowMs / 1000 - confirmAgeSeconds);
}

/** A provider that is away, or an answer that proves nothing. */
function errorOf(error: unknown): SignInError {
  const reason = reasonOf(error);
  const isAway =
    ['OAUTH_TIMEOUT', 'OAUTH_ABORT'].includes(reason) || (error instanceof TypeError && reason === 'unknown');
  return isAway ? 'provider_unavailable' : 'token_invalid';
}

function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown';
}

function errorPath(code: SignInError): string {
  return `/?sign_in_error=${code}`;
}

function redirect(context: SignInContext, path: string): void {
  context.set('Cache-Control', 'no-store');
  context.status = 303;
  context.set('Location', path);
  context.body = '';
}
