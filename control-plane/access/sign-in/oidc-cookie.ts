import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { minuteMs } from '#shared/duration.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';

/** For how long somebody may be at the provider. */
export const visitMs = 10 * minuteMs;
/** Visits of one browser at a time: each tab has its own. */
const visitsMax = 5;
const context = 'visit to the identity provider';

const visitSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  purpose: z.enum(['sign_in', 'link', 'confirm']),
  /** Who began to link or confirm, and in which session: the session's cookie does not come back from elsewhere. */
  personId: z.string().nullable(),
  sessionId: z.string().nullable(),
  /** The hash of an invitation's secret. */
  invitation: z.string().nullable(),
  returnTo: z.string(),
  expiresAt: z.number(),
});

/** What a browser that goes to the provider brings back, sealed. */
export type Visit = z.infer<typeof visitSchema>;

function prefixOf(secure: boolean): string {
  return secure ? '__Host-upquorum-oidc-' : 'upquorum-oidc-';
}

/** The `Set-Cookie` headers that begin a visit; of too many visits the others end. */
export function visitCookies(headers: IncomingHttpHeaders, visit: Visit, keyring: Keyring, secure: boolean): string[] {
  const value = Buffer.from(keyring.seal(JSON.stringify(visit), context)).toString('base64url');
  const others = namesIn(headers, secure).slice(0, -(visitsMax - 1));
  return [
    cookie(`${prefixOf(secure)}${visit.state.slice(0, 8)}`, value, visitMs / 1000, secure),
    ...others.map(name => cookie(name, '', 0, secure)),
  ];
}

/** The `Set-Cookie` header that ends a visit. */
export function endedVisit(state: string, secure: boolean): string {
  return cookie(`${prefixOf(secure)}${state.slice(0, 8)}`, '', 0, secure);
}

/** The visit that a state belongs to; null if this browser did not begin it, or too long ago. */
export function readVisit(
  headers: IncomingHttpHeaders,
  state: string,
  keyring: Keyring,
  secure: boolean,
  nowMs: number,
): Visit | null {
  const name = `${prefixOf(secure)}${state.slice(0, 8)}=`;
  const value = pairsOf(headers)
    .find(pair => pair.startsWith(name))
    ?.slice(name.length);
  if (value === undefined || value.length > 4096) return null;
  try {
    const visit = visitSchema.parse(JSON.parse(keyring.open(Buffer.from(value, 'base64url'), context)));
    return visit.state === state && visit.expiresAt > nowMs ? visit : null;
  } catch {
    return null;
  }
}

function namesIn(headers: IncomingHttpHeaders, secure: boolean): string[] {
  const prefix = prefixOf(secure);
  return pairsOf(headers).flatMap(pair => {
    const [name = ''] = pair.split('=');
    return name.startsWith(prefix) && /^[\w-]{8}$/.test(name.slice(prefix.length)) ? [name] : [];
  });
}

function pairsOf({ cookie: header = '' }: IncomingHttpHeaders): string[] {
  return header.split(';').map(pair => pair.trim());
}

// Lax: the browser comes back from another site.
function cookie(name: string, value: string, maxAgeSeconds: number, secure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}
