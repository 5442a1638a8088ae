import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';

/** For how long a browser is let in. */
const visitorMs = 30 * dayMs;
/** Of a member: who is deactivated at the provider, and nowhere else, is out by then. */
const memberMs = 12 * hourMs;
const context = 'page-visitor';
const cookieBytesMax = 1024;
/** Clocks of replicas may differ. */
const skewMs = minuteMs;

const visitorSchema = z.object({
  page: z.string(),
  version: z.int(),
  at: z.number(),
  /** The member who it is, on a page for members. */
  person: z.string().optional(),
  /** Where they were let in; cookies of up to 0.15, which last 30 days, name no host. */
  host: z.string().optional(),
});

/** Whom a page has let in: at which version of its access, and when. */
export type Visitor = z.infer<typeof visitorSchema>;

/** Ids have a prefix, and the same 26 characters after it. */
function nameOf(pageId: string, secure: boolean): string {
  return `${secure ? '__Host-' : ''}upquorum-page-${pageId.slice(-26)}`;
}

/** The `Set-Cookie` header that lets a visitor in. */
export function visitorCookie(visitor: Visitor, keyring: Keyring, secure: boolean): string {
  const value = Buffer.from(keyring.seal(JSON.stringify(visitor), context)).toString('base64url');
  return cookie(nameOf(visitor.page, secure), value, lastsMs(visitor) / 1000, secure);
}

/** The `Set-Cookie` header that ends a visit. */
export function endedVisitor(pageId: string, secure: boolean): string {
  return cookie(nameOf(pageId, secure), '', 0, secure);
}

/**
 * Whom the page has let in with this version of its access, at this host; null without a valid cookie. Browsers go on
 * sending it to a domain that was given up: whoever has that now sees nothing elsewhere with what they get.
 */
export function readVisitor(
  { cookie: header = '' }: IncomingHttpHeaders,
  { pageId, version }: { pageId: string; version: number },
  { keyring, secure, host, nowMs }: { keyring: Keyring; secure: boolean; host: string; nowMs: number },
): Visitor | null {
  const name = `${nameOf(pageId, secure)}=`;
  const pairs = header.split(';').map(pair => pair.trim());
  const value = pairs.find(pair => pair.startsWith(name))?.slice(name.length) ?? '';
  if (value === '' || value.length > cookieBytesMax) return null;
  try {
    const visitor = visitorSchema.parse(JSON.parse(keyring.open(Buffer.from(value, 'base64url'), context)));
    const isOwn = visitor.page === pageId && visitor.version === version;
    const isHere = visitor.host === undefined || visitor.host === host;
    return isOwn && isHere && visitor.at <= nowMs + skewMs && nowMs - visitor.at < lastsMs(visitor) ? visitor : null;
  } catch {
    return null;
  }
}

function lastsMs({ person }: Visitor): number {
  return person === undefined ? visitorMs : memberMs;
}

// Lax: somebody who follows a link to the page is let in.
function cookie(name: string, value: string, maxAgeSeconds: number, secure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}
