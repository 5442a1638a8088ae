import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { Problem } from '../http/problem.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { isSameOrigin } from './same-origin.ts';

/** How long a sign-in lasts; a token that is revoked or expires ends it earlier. */
export const sessionMs = 12 * 3_600_000;

/** What the cookie holds, sealed: any replica with the keys takes it, and nothing is stored. */
const sessionSchema = z.object({ token: z.string(), csrf: z.string(), expiresAt: z.number() });
export type Session = z.infer<typeof sessionSchema>;

const context = 'dashboard session';
const cookieBytesMax = 4096;

export function newSession(token: string, nowMs: number): Session {
  return { token, csrf: randomBytes(24).toString('base64url'), expiresAt: nowMs + sessionMs };
}

/** The `__Host-` prefix lets no other host of the domain set it; it works over https only. */
function cookieName(secure: boolean): string {
  return secure ? '__Host-upquorum' : 'upquorum';
}

/** The `Set-Cookie` header that signs in. */
export function sessionCookie(session: Session, keyring: Keyring, secure: boolean): string {
  const value = Buffer.from(keyring.seal(JSON.stringify(session), context)).toString('base64url');
  return cookie(value, sessionMs / 1000, secure);
}

/** The `Set-Cookie` header that signs out. */
export function endedCookie(secure: boolean): string {
  return cookie('', 0, secure);
}

/** The session of the request's cookie; null without one, with one that no key opens, or when its time is over. */
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
 * The Authorization header the request stands for: its own, else that of its session, which counts only with the
 * session's `X-CSRF-Token`, whatever the method. Throws `origin_not_allowed` for another site's request.
 */
export function authorizationOf(
  headers: IncomingHttpHeaders,
  keyring: Keyring,
  secure: boolean,
  nowMs: number,
): string | undefined {
  if (headers.authorization) return headers.authorization;
  const session = readSession(headers, keyring, secure, nowMs);
  if (session === null || !isEqual(session.csrf, String(headers['x-csrf-token'] ?? ''))) return undefined;
  if (!isSameOrigin(headers)) throw new Problem('origin_not_allowed', { detail: 'another site caused this request' });
  return `Bearer ${session.token}`;
}

export function isEqual(wanted: string, given: string): boolean {
  const [left, right] = [Buffer.from(wanted), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function cookie(value: string, maxAgeSeconds: number, secure: boolean): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return `${cookieName(secure)}=${value}; ${attributes}`;
}

function cookieValue(header: string, name: string): string | null {
  const found = header
    .split(';')
    .map(pair => pair.trim())
    .find(pair => pair.startsWith(`${name}=`));
  const value = found?.slice(name.length + 1) ?? '';
  return value === '' || value.length > cookieBytesMax ? null : value;
}
