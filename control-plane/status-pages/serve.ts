import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { newId } from '#shared/ids.ts';
import type { PublishedDocument } from './page-files.ts';
import type { PublishedPages } from './published-pages.ts';
import { pageSecurityPolicy } from './render/layout.ts';

const prefix = '/status/';
/** Browsers ask each time and show what they have for ten seconds at most; a CDN asks every ten seconds, and outlives us by a day. */
const cacheControl = 'public, max-age=0, s-maxage=10, stale-while-revalidate=10, stale-if-error=86400';

/**
 * Answers a visitor from memory, before anything else looks at the request: a page costs per change, not per visit. False
 * when the request is not for a document that is held.
 */
export function servePublished(
  pages: Pick<PublishedPages, 'get'>,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { method, url = '' } = request;
  if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith(prefix)) return false;
  const query = url.indexOf('?');
  const document = pages.get(url.slice(prefix.length, query < 0 ? undefined : query));
  if (document === undefined) return false;
  sendDocument(document, request, response);
  return true;
}

/** One document under its strong ETag; each encoding has its own. */
export function sendDocument(document: PublishedDocument, request: IncomingMessage, response: ServerResponse): void {
  const zipped = acceptsGzip(request.headers['accept-encoding']);
  const etag = `"${document.etag}${zipped ? '-gz' : ''}"`;
  const headers: Record<string, string | number> = {
    'Content-Type': document.contentType,
    'Cache-Control': cacheControl,
    ETag: etag,
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'X-Request-Id': requestIdOf(request),
  };
  if (document.contentType.startsWith('text/html') || document.contentType.startsWith('image/svg'))
    headers['Content-Security-Policy'] = pageSecurityPolicy;
  else headers['Access-Control-Allow-Origin'] = '*';
  if (isHeld(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const body = zipped ? document.gzip : gunzipSync(document.gzip);
  if (zipped) headers['Content-Encoding'] = 'gzip';
  headers['Content-Length'] = body.length;
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : body);
}

/** RFC 9110: an encoding with a weight of zero is refused. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const offers = String(header ?? '')
    .toLowerCase()
    .split(',')
    .map(offer => offer.trim().split(/\s*;\s*/));
  const offer = offers.find(([name]) => name === 'gzip') ?? offers.find(([name]) => name === '*');
  return offer !== undefined && !/^q=0(\.0*)?$/.test(offer[1] ?? '');
}

function isHeld(header: string | undefined, etag: string): boolean {
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
