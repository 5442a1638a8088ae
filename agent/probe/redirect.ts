import type { Assignment } from '#shared/protocol/messages.ts';
import { headerAddress } from './http/header-text.ts';
import { formsOf } from './redaction/secret-forms.ts';

/** One request of a check: the first, or the target of a redirect. */
export type Hop = Readonly<{
  url: URL;
  method: Assignment['method'];
  headers: Readonly<Record<string, string>>;
  body: string | null;
}>;

/** Most redirects that one check follows. */
export const hopsMax = 10;

/** True for the status codes of a redirect that can be followed. */
export function isRedirect(statusCode: number): boolean {
  return statusCode === 301 || statusCode === 302 || statusCode === 303 || statusCode === 307 || statusCode === 308;
}

/**
 * The next request after a redirect, by RFC 9110 and the practice of browsers: 303 becomes GET, 301 and 302 turn POST
 * into GET, 307 and 308 keep method and body. An upgrade from http to https of the same host
 * keeps all; to another origin go only the headers that describe the client, without those that hold one of `secrets`,
 * and no body. `location` is the header as Node reads it. Returns a sentence if the redirect must not be followed.
 */
export function followRedirect(
  hop: Hop,
  statusCode: number,
  location: string,
  secrets: readonly string[] = [],
): Hop | string {
  const address = headerAddress(location);
  if (!URL.canParse(address, hop.url.href)) return 'the redirect has an invalid address';
  const url = new URL(address, hop.url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'the redirect is not to http or https';
  if (url.username !== '' || url.password !== '') return 'the redirect address contains credentials';
  const becomesGet =
    (statusCode === 303 && hop.method !== 'HEAD') ||
    ((statusCode === 301 || statusCode === 302) && hop.method === 'POST');
  const keepsAll = url.origin === hop.url.origin || isUpgradeOf(hop.url, url);
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: keepsAll ? (becomesGet ? withoutContent(hop.headers) : hop.headers) : harmless(hop.headers, secrets),
    body: becomesGet || !keepsAll ? null : hop.body,
  };
}

/** Whoever redirects has got the headers in clear already, and its host proves its name from there on. */
function isUpgradeOf(before: URL, url: URL): boolean {
  return before.protocol === 'http:' && url.protocol === 'https:' && before.hostname === url.hostname;
}

const harmlessNames = new Set(['user-agent', 'accept', 'accept-language']);

function harmless(headers: Readonly<Record<string, string>>, secrets: readonly string[]): Record<string, string> {
  const described = Object.entries(headers).filter(([name]) => harmlessNames.has(name.toLowerCase()));
  if (secrets.length === 0 || described.length === 0) return Object.fromEntries(described);
  const forms = secrets.flatMap(formsOf);
  return Object.fromEntries(described.filter(([, value]) => !forms.some(form => value.includes(form))));
}

/** Headers that describe the body are removed with it. */
function withoutContent(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.toLowerCase().startsWith('content-')));
}
