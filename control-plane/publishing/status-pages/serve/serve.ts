import type { IncomingMessage, ServerResponse } from 'node:http';
import { newId } from '#shared/ids.ts';
import { etagFor, type PageHeaders, settledAt } from './page-headers.ts';
import { type DocumentHead, headOf } from './page-index.ts';
import type { PublishedPages } from './published-pages.ts';
import { redirectedPath, redirectTarget } from './redirect.ts';

const prefix = '/status/';
type Pages = Pick<PublishedPages, 'find' | 'get' | 'read' | 'plain'>;
/** `homeOf`: the address of a page that has a domain of its own. */
type Serving = { headers: PageHeaders; homeOf(pageId: string): string | null };

/**
 * Answers a visitor from memory or disk, before anything else handles the request: pages cost per change, not per
 * visit. An address under a former slug leads to the present one, one of HTML to the page's own domain. False if the
 * request is not for a known document.
 */
export function servePublished(
  pages: Pages,
  { headers, homeOf }: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { method, url = '' } = request;
  if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith(prefix)) return false;
  const query = url.indexOf('?');
  const path = url.slice(prefix.length, query < 0 ? undefined : query);
  const head = pages.find(path) ?? findRedirect(pages, path);
  if (head === undefined) return false;
  const slug = redirectTarget(head.contentType);
  const [id, search] = [requestIdOf(request), url.slice(path.length + prefix.length)];
  const leads = (status: 307 | 308, location: string) =>
    void response.writeHead(status, headers.ofRedirect(status, location, id)).end();
  const home = slug === null && head.contentType.startsWith('text/html') ? homeOf(head.pageId) : null;
  if (slug !== null) leads(308, redirectedPath(path, slug) + search);
  else if (home !== null) leads(307, home + (restOf(path) || '/') + search);
  else sendDocument(pages, head, headers, request, response, id);
  return true;
}

/** What stands behind the slug in a path, with its slash. */
function restOf(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? '' : path.slice(slash);
}

/** Answers with the document at this path, as it is. False if there is none. */
export function serveDocument(
  pages: Pages,
  path: string,
  headers: PageHeaders,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const head = pages.find(path);
  if (head === undefined || redirectTarget(head.contentType) !== null) return false;
  sendDocument(pages, head, headers, request, response, requestIdOf(request));
  return true;
}

/** The redirect of the slug that a longer path begins with. */
function findRedirect(pages: Pages, path: string): DocumentHead | undefined {
  const slash = path.indexOf('/');
  const head = slash < 0 ? undefined : pages.find(path.slice(0, slash));
  return head !== undefined && redirectTarget(head.contentType) !== null ? head : undefined;
}

/** Sends one document, or 304. Each encoding has a strong ETag of its own. */
function sendDocument(
  pages: Pages,
  head: DocumentHead,
  headers: PageHeaders,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
): void {
  const zipped = acceptsGzip(request.headers['accept-encoding']);
  if (isUnchanged(request, head, zipped))
    return void response.writeHead(304, headers.ofUnchanged(head, zipped, id)).end();
  if (request.method === 'HEAD') return void response.writeHead(200, headers.of(head, zipped, id)).end();
  const document = pages.get(head.path);
  const body = document === undefined || zipped ? document?.gzip : pages.plain.get(document);
  if (body !== undefined && body !== null) return void response.writeHead(200, headers.of(head, zipped, id)).end(body);
  sendRead(pages, head.path, zipped, (read, bytes) => {
    response.writeHead(200, headers.of(read, zipped, id)).end(bytes);
  }).catch(() => response.destroy());
}

/** Of a document that is not in memory as it is asked for: by then it may have another version. */
async function sendRead(
  pages: Pages,
  path: string,
  zipped: boolean,
  send: (head: DocumentHead, body: Buffer) => void,
): Promise<void> {
  const document = pages.get(path) ?? (await pages.read(path));
  if (document === undefined) throw new Error('the document is gone');
  send(headOf(document), zipped ? document.gzip : (pages.plain.get(document) ?? (await pages.plain.inflate(document))));
}

/** By If-None-Match or, without it, by If-Modified-Since: RFC 9110 §13.2.2. */
function isUnchanged(request: IncomingMessage, head: DocumentHead, zipped: boolean): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = request.headers;
  if (tags !== undefined) return matchesEtag(tags, etagFor(head, zipped));
  return since !== undefined && since.length <= 40 && Date.parse(since) >= settledAt(head);
}

/** Whether the client accepts gzip by RFC 9110 §12.5.3: an encoding with a weight of zero is refused. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const text = String(header);
  if (!text.includes(';')) return /(?:^|,)\s*(?:gzip|\*)\s*(?:,|$)/i.test(text);
  const offers = text
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

/** The id that the client gave the request, or a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9_-]{8,128}$/.test(given) ? given : newId('req');
}
