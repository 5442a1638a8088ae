import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { Problem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { isSameOrigin } from './same-origin.ts';

/** The content of the sealed cookie: any replica with the keys accepts it. Only the end of a session is stored. */
const sessionSchema = z.object({ token: z.string(), csrf: z.string(), expiresAt: z.number() });
export type Session = z.infer<typeof sessionSchema>;

const context = 'dashboard session';
const cookieBytesMax = 4096;

/** A session that lasts `sessionMs`; revoking the token or its expiry ends it earlier. */
export function newSession(token: string, sessionMs: number, nowMs: number): Session {
  return { token, csrf: randomBytes(24).toString('base64url'), expiresAt: nowMs + sessionMs };
}

/** The `__Host-` prefix keeps other hosts of the domain from setting the cookie; browsers accept it over https only. */
function cookieName(secure: boolean): string {
  return secure ? '__Host-upquorum' : 'upquorum';
}

/** The `Set-Cookie` header that signs in. */
export function sessionCookie(session: Session, keyring: Keyring, secure: boolean, nowMs: number): string {
  const value = Buffer.from(keyring.seal(JSON.stringify(session), context)).toString('base64url');
  return cookie(value, Math.floor((session.expiresAt - nowMs) / 1000), secure);
}

/** The `Set-Cookie` header that signs out. */
export function expiredCookie(secure: boolean): string {
  return cookie('', 0, secure);
}

/** The session in the request's cookie; null without a cookie, if no key opens it, or if it has expired. */
export function readSession(
  headers: IncomingHttpHeaders,
  keyring: Keyring,
  secure: boolean,
  nowMs: number,
): Session | null {
  const value = cookieValue(headers.cookie ?? '', cookieName(secure));
  if (value === null) return null;
  let text: string;
  try {
    text = keyring.open(Buffer.from(value, 'base64url'), context);
  } catch {
    return null;
  }
  const session = sessionSchema.parse(JSON.parse(text));
  return session.expiresAt > nowMs ? session : null;
}

/**
 * The session of a request, which counts only together with its `X-CSRF-Token`, whatever the method; null without one.
 * Throws `origin_not_allowed` if another site sent it.
 */
export function confirmedSession(
  headers: IncomingHttpHeaders,
  keyring: Keyring,
  secure: boolean,
  nowMs: number,
): Session | null {
  const session = readSession(headers, keyring, secure, nowMs);
  if (session === null || !isEqual(session.csrf, String(headers['x-csrf-token'] ?? ''))) return null;
  if (!isSameOrigin(headers)) throw new Problem('origin_not_allowed', { detail: 'another site sent this request' });
  return session;
}

/** In constant time, so that the duration tells nothing about the expected text. */
function isEqual(expected: string, actual: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(actual)];
  return left.length === right.length && timingSafeEqual(left, right);
}

// Koa's `cookies.set` would write Expires by our clock instead of Max-Age, and refuses Secure behind a TLS proxy.
function cookie(value: string, maxAgeSeconds: number, secure: boolean): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return `${cookieName(secure)}=${value}; ${attributes}`;
}

function cookieValue(header: string, name: string): string | null {
  const pairs = header.split(';').map(pair => pair.trim());
  const value = pairs.find(pair => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  return value === '' || value.length > cookieBytesMax ? null : value;
}
