import type { IncomingMessage, ServerResponse } from 'node:http';
import { newId } from '#shared/ids.ts';
import type { PublishedDocument } from './page-files.ts';
import type { DocumentHead } from './page-index.ts';
import type { PublishedPages } from './published-pages.ts';
import { redirectedPath, redirectTarget } from './redirect.ts';
import { pageSecurityPolicy } from './render/layout.ts';

const prefix = '/status/';
/**
 * Browsers revalidate each time and show a stale page for ten seconds at most; CDNs revalidate every ten, and serve for
 * a day on errors.
 */
const cacheControl = 'public, max-age=0, s-maxage=10, stale-while-revalidate=10, stale-if-error=86400';

const settledAfterMs = 2000;

type Pages = Pick<PublishedPages, 'find' | 'get' | 'read' | 'plain'>;

/**
 * Answers a visitor from memory or disk, before anything else handles the request: pages cost per change, not per
 * visit. An address under a former slug leads to the present one. False if the request is not for a known document.
 */
export function servePublished(pages: Pages, request: IncomingMessage, response: ServerResponse): boolean {
  const { method, url = '' } = request;
  if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith(prefix)) return false;
  const query = url.indexOf('?');
  const path = url.slice(prefix.length, query < 0 ? undefined : query);
  const head = pages.find(path) ?? findRedirect(pages, path);
  if (head === undefined) return false;
  const slug = redirectTarget(head.contentType);
  if (slug === null) void sendDocument(pages, head, request, response);
  else sendRedirect(redirectedPath(path, slug) + (query < 0 ? '' : url.slice(query)), request, response);
  return true;
}

/** The redirect of the slug that a longer path begins with. */
function findRedirect(pages: Pages, path: string): DocumentHead | undefined {
  const slash = path.indexOf('/');
  const head = slash < 0 ? undefined : pages.find(path.slice(0, slash));
  return head !== undefined && redirectTarget(head.contentType) !== null ? head : undefined;
}

/** Not cached for long: the page may get its former slug again. */
function sendRedirect(location: string, request: IncomingMessage, response: ServerResponse): void {
  const headers = { Location: location, 'Cache-Control': cacheControl, 'X-Request-Id': requestIdOf(request) };
  response.writeHead(308, { ...headers, 'Access-Control-Allow-Origin': '*', 'Content-Length': 0 }).end();
}

/** Sends one document, or 304. Each encoding has a strong ETag of its own. */
async function sendDocument(
  pages: Pages,
  head: DocumentHead,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const zipped = acceptsGzip(request.headers['accept-encoding']);
  if (isUnchanged(request, head, zipped)) {
    response.writeHead(304, headersOf(head, zipped, request)).end();
    return;
  }
  if (request.method === 'HEAD') {
    const length = zipped ? head.gzipLength : head.plainLength;
    response.writeHead(200, { ...encodedHeadersOf(head, zipped, request), 'Content-Length': length }).end();
    return;
  }
  try {
    const document = pages.get(head.path) ?? (await pages.read(head.path));
    if (document === undefined) throw new Error('the document is gone');
    const body = zipped ? document.gzip : (pages.plain.get(document) ?? (await pages.plain.inflate(document)));
    const headers = encodedHeadersOf(document, zipped, request);
    response.writeHead(200, { ...headers, 'Content-Length': body.length }).end(body);
  } catch {
    response.destroy();
  }
}

type Headers = Record<string, string | number>;
type Head = Omit<PublishedDocument, 'gzip'>;

function etagFor({ etag }: Head, zipped: boolean): string {
  return `"${etag}${zipped ? '-gz' : ''}"`;
}

function headersOf(head: Head, zipped: boolean, request: IncomingMessage): Headers {
  const headers: Headers = {
    'Content-Type': head.contentType,
    'Cache-Control': cacheControl,
    ETag: etagFor(head, zipped),
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'X-Request-Id': requestIdOf(request),
  };
  const settledMs = settledAt(head);
  if (settledMs !== null && settledMs <= Date.now()) headers['Last-Modified'] = new Date(settledMs).toUTCString();
  if (head.contentType.startsWith('text/html') || head.contentType.startsWith('image/svg'))
    headers['Content-Security-Policy'] = pageSecurityPolicy;
  else headers['Access-Control-Allow-Origin'] = '*';
  return headers;
}

function encodedHeadersOf(head: Head, zipped: boolean, request: IncomingMessage): Headers {
  const headers = headersOf(head, zipped, request);
  return zipped ? { ...headers, 'Content-Encoding': 'gzip' } : headers;
}

/** By If-None-Match or, without it, by If-Modified-Since: RFC 9110 §13.2.2. */
function isUnchanged(request: IncomingMessage, head: Head, zipped: boolean): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = request.headers;
  if (tags !== undefined) return matchesEtag(tags, etagFor(head, zipped));
  const settledMs = settledAt(head);
  if (since === undefined || since.length > 40 || settledMs === null) return false;
  return Date.parse(since) >= settledMs;
}

/**
 * When the document is said to have changed. A date has whole seconds, in which it may change twice, and another
 * replica shows the second change a little later: only from then on does the date tell which of them somebody has.
 */
function settledAt({ publishedAt }: Head): number | null {
  return publishedAt === 0 ? null : Math.floor(publishedAt / 1000) * 1000 + settledAfterMs;
}

/** Whether the client accepts gzip by RFC 9110 §12.5.3: an encoding with a weight of zero is refused. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const offers = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map(offer => offer.split(';', 2).map(part => part.trim()));
  const offer = offers.find(([name]) => name === 'gzip') ?? offers.find(([name]) => name === '*');
  return offer !== undefined && !/^q=0(\.0*)?$/.test(offer[1] ?? '');
}

/** Whether If-None-Match names the ETag, by the weak comparison of RFC 9110 §13.1.2. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some(candidate => {
    const tag = candidate.trim().replace(/^W\//, '');
    return tag === etag || tag === '*';
  });
}

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9_-]{8,128}$/.test(given) ? given : newId('req');
}
