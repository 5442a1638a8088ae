import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a browser says that a page of another site sent the form. Programs send neither header; `Origin: null` comes
 * with pages that send no referrer, as ours do.
 */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'cross-site';
  const { origin } = headers;
  if (origin === undefined || origin === 'null') return false;
  return !URL.canParse(origin) || new URL(origin).host !== headers.host;
}
