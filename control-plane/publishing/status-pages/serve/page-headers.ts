import { pageSecurityPolicy } from '../render/layout.ts';
import type { DocumentHead } from './page-index.ts';

/**
 * Browsers revalidate each time and show a stale page for ten seconds at most; CDNs revalidate every ten, and serve for
 * a day on errors.
 */
const cacheControl = 'public, max-age=0, s-maxage=10, stale-while-revalidate=10, stale-if-error=86400';
/** Of a redirect to a domain, which the page may give up and somebody else may get: never stale. */
const homeCacheControl = 'public, max-age=0, s-maxage=10';

type Headers = Record<string, string | number>;
/** Names and values in turn, as Node writes them without making anything else of them first. */
type RawHeaders = (string | number)[];

/** The headers of documents, made once for each version: to make them anew takes a fifth of what a page costs. */
export class PageHeaders {
  readonly #defaults: Readonly<Headers>;
  readonly #zipped = new WeakMap<DocumentHead, RawHeaders>();
  readonly #plain = new WeakMap<DocumentHead, RawHeaders>();
  readonly #settled = new WeakMap<DocumentHead, RawHeaders>();

  /** `defaults` are those of every answer; a document's own replace them. */
  constructor(defaults: Readonly<Headers> = {}) {
    this.#defaults = defaults;
  }

  /** Of an answer with the document. */
  of(head: DocumentHead, zipped: boolean, requestId: string): RawHeaders {
    const known = zipped ? this.#zipped : this.#plain;
    let raw = known.get(head);
    if (raw === undefined) {
      raw = this.#raw({ ...headersOf(head, zipped), ...encodingOf(head, zipped) });
      known.set(head, raw);
    }
    return [...raw, ...this.#lastModified(head), 'X-Request-Id', requestId];
  }

  /** Of a 304. */
  ofUnchanged(head: DocumentHead, zipped: boolean, requestId: string): RawHeaders {
    return [...this.#raw({ ...headersOf(head, zipped), 'X-Request-Id': requestId }), ...this.#lastModified(head)];
  }

  /** Of a redirect: a 308 is not cached for long, for the page may get its former slug again. */
  ofRedirect(status: 307 | 308, location: string, requestId: string): RawHeaders {
    const headers = { Location: location, 'Cache-Control': status === 307 ? homeCacheControl : cacheControl };
    return this.#raw({
      ...headers,
      'X-Request-Id': requestId,
      'Access-Control-Allow-Origin': '*',
      'Content-Length': 0,
    });
  }

  #lastModified(head: DocumentHead): RawHeaders {
    const known = this.#settled.get(head);
    if (known !== undefined) return known;
    const settledMs = settledAt(head);
    if (settledMs > Date.now()) return [];
    const raw = ['Last-Modified', new Date(settledMs).toUTCString()];
    this.#settled.set(head, raw);
    return raw;
  }

  #raw(headers: Headers): RawHeaders {
    return Object.entries({ ...this.#defaults, ...headers }).flat();
  }
}

/** The strong ETag of a document in one encoding. */
export function etagFor({ etag }: Pick<DocumentHead, 'etag'>, zipped: boolean): string {
  return `"${etag}${zipped ? '-gz' : ''}"`;
}

const settledAfterMs = 2000;

/**
 * When the document is said to have changed. A date has whole seconds, in which it may change twice, and another
 * replica shows the second change a little later: only from then on does the date tell which of them somebody has.
 */
export function settledAt({ publishedAt }: Pick<DocumentHead, 'publishedAt'>): number {
  return Math.floor(publishedAt / 1000) * 1000 + settledAfterMs;
}

function headersOf(head: DocumentHead, zipped: boolean): Headers {
  const headers: Headers = {
    'Content-Type': head.contentType,
    'Cache-Control': cacheControl,
    ETag: etagFor(head, zipped),
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
  };
  if (head.contentType.startsWith('text/html') || head.contentType.startsWith('image/svg'))
    headers['Content-Security-Policy'] = pageSecurityPolicy;
  else headers['Access-Control-Allow-Origin'] = '*';
  return headers;
}

function encodingOf({ gzipLength, plainLength }: DocumentHead, zipped: boolean): Headers {
  return zipped ? { 'Content-Encoding': 'gzip', 'Content-Length': gzipLength } : { 'Content-Length': plainLength };
}
