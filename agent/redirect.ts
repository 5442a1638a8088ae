import type { Assignment } from '#shared/protocol/messages.ts';

/** One request of a check: the first one, or one a redirect leads to. */
export type Hop = Readonly<{
  url: URL;
  method: Assignment['method'];
  headers: Readonly<Record<string, string>>;
  body: string | null;
}>;

export const hopsMax = 10;

/** True for the answers that name another address to ask. */
export function isRedirect(statusCode: number): boolean {
  return statusCode === 301 || statusCode === 302 || statusCode === 303 || statusCode === 307 || statusCode === 308;
}

/**
 * Where a redirect leads, by RFC 9110 and the habit of browsers: 303 turns to GET, 301 and 302 turn POST to GET,
 * 307 and 308 keep all. The customer's headers stay within the origin. A sentence when it must not be followed.
 */
export function followRedirect(hop: Hop, statusCode: number, location: string): Hop | string {
  if (!URL.canParse(location, hop.url)) return 'the redirect names no valid address';
  const url = new URL(location, hop.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'the redirect leads to another protocol';
  if (url.username !== '' || url.password !== '') return 'the redirect carries credentials';
  const toGet =
    (statusCode === 303 && hop.method !== 'HEAD') ||
    ((statusCode === 301 || statusCode === 302) && hop.method === 'POST');
  const sameOrigin = url.origin === hop.url.origin;
  return {
    url,
    method: toGet ? 'GET' : hop.method,
    headers: sameOrigin ? (toGet ? withoutContent(hop.headers) : hop.headers) : {},
    body: toGet || !sameOrigin ? null : hop.body,
  };
}

/** Headers that speak of the body go with the body. */
function withoutContent(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith('content-')));
}
