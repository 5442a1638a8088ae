import type { IncomingHttpHeaders } from 'node:http';

/**
 * False when the browser says that another site caused the request. Browsers send `Sec-Fetch-Site` to https and to
 * localhost; elsewhere `Origin` must name the host that was asked. Without both the CSRF token alone decides.
 */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin } = headers;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === headers.host;
}
