import type { IncomingHttpHeaders } from 'node:http';

/**
 * False if the browser reports that another site sent the request. Browsers send `Sec-Fetch-Site` to https and to
 * localhost; otherwise `Origin` must name the requested host. Without both headers the CSRF token alone decides.
 */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin } = headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === headers.host;
}
