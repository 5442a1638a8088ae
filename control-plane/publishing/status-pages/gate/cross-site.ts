import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a browser says that a page of another site sent the form: neither one at PUBLIC_URL, whichever `Host` a proxy
 * passes on, nor one at the requested host. Programs send neither header; `Origin: null` comes with pages that send no
 * referrer, as ours do.
 */
export function isCrossSite(headers: IncomingHttpHeaders, baseUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'cross-site';
  const { origin } = headers;
  if (origin === undefined || origin === 'null') return false;
  if (!URL.canParse(origin)) return true;
  const from = new URL(origin);
  return from.host !== headers.host && from.origin !== new URL(baseUrl).origin;
}
