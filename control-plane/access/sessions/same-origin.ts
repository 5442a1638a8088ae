import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../platform/http/problem.ts';

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Throws `origin_not_allowed` for what another site sends, and for a dashboard that was not opened at PUBLIC_URL. */
export function requireSameOrigin(headers: IncomingHttpHeaders, baseUrl: string): void {
  if (isSameOrigin(headers, baseUrl)) return;
  throw new Problem('origin_not_allowed', { detail: `only the dashboard at ${baseUrl} may send this request` });
}

/**
 * False if the browser reports that another site sent the request. Browsers send `Sec-Fetch-Site` to https and to
 * localhost; `Origin` must be that of PUBLIC_URL, whichever `Host` a proxy passes on. Without both headers the CSRF
 * token alone decides.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin } = headers;
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const [from, own] = [new URL(origin), new URL(baseUrl)];
  if (from.origin === own.origin) return true;
  // An installation for this machine alone has several names, and other ports that are forwarded.
  return loopback.includes(own.hostname) && loopback.includes(from.hostname) && from.host === headers.host;
}
