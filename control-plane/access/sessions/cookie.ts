import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const cookieBytesMax = 4096;

/** The `__Host-` prefix keeps other hosts of the domain from setting the cookie; browsers accept it over https only. */
function cookieName(secure: boolean): string {
  return secure ? '__Host-upquorum' : 'upquorum';
}

/** The `Set-Cookie` header that signs in. */
export function sessionCookie(secret: string, maxAgeMs: number, secure: boolean): string {
  return cookie(secret, Math.floor(maxAgeMs / 1000), secure);
}

/** The `Set-Cookie` header that signs out. */
export function expiredCookie(secure: boolean): string {
  return cookie('', 0, secure);
}

/** What the request's cookie holds; null without one. */
export function readCookie(headers: IncomingHttpHeaders, secure: boolean): string | null {
  const name = `${cookieName(secure)}=`;
  const pairs = (headers.cookie ?? '').split(';').map(pair => pair.trim());
  const value = pairs.find(pair => pair.startsWith(name))?.slice(name.length) ?? '';
  return value === '' || value.length > cookieBytesMax ? null : value;
}

/** The CSRF token of a session: from its secret, so that every replica knows it and none stores it. */
export function csrfOf(secret: string): string {
  return createHash('sha256').update('csrf').update(secret).digest('base64url');
}

/** Compares in constant time, so that the duration tells nothing about the expected text. */
export function isEqualText(expected: string, actual: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(actual)];
  return left.length === right.length && timingSafeEqual(left, right);
}

// Koa's `cookies.set` would write Expires by our clock instead of Max-Age, and refuses Secure behind a TLS proxy.
function cookie(value: string, maxAgeSeconds: number, secure: boolean): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
  return `${cookieName(secure)}=${value}; ${attributes}`;
}
