import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressRange } from '#shared/network/guard.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { hostOfUrl } from '../domains/domain.ts';
import type { Gatekeeper } from '../gate/gatekeeper.ts';
import { sendProblem } from '../gate/refuse.ts';
import { ownPartsOf, type Parts, shownPath, wantsJson } from '../gate/request-parts.ts';
import { languageOf } from '../locale/language.ts';
import { visitorLocale } from '../locale/visitor-locale.ts';
import { noticeSecurityPolicy } from '../render/layout.ts';
import { renderNotice } from '../render/notice.ts';
import { documentPath } from '../serve/document-names.ts';
import { PageHeaders } from '../serve/page-headers.ts';
import type { PublishedPages } from '../serve/published-pages.ts';
import { requestIdOf, serveDocument } from '../serve/serve.ts';
import type { HostRow } from './hosts.ts';
import { pageUrl } from './own-address.ts';
import { hostOf, isFromProxyItself, plainHost, schemeOf } from './request-host.ts';
import { noteOwnHost } from './visited-page.ts';

type Headers = Readonly<Record<string, string>>;

export type OwnHostServices = {
  pages: Pick<PublishedPages, 'gates' | 'hosts' | 'slugOf' | 'find' | 'get' | 'read' | 'plain'>;
  gatekeeper: Pick<Gatekeeper, 'serveAt' | 'letsIn'>;
  baseUrl: string;
  trustedProxies: readonly AddressRange[];
  /** Headers of every answer at PUBLIC_URL. */
  defaults: Headers;
};

/** `form`: for the routes of subscribers, under the page's address. `elsewhere`: it is no domain of a page. */
export type Outcome = { type: 'answered' | 'elsewhere' } | { type: 'form'; defaults: Headers };

/** Nobody stores them: which domain is the page's address changes, and who may see a private page. */
const redirected = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', 'Content-Length': 0 };
const hstsName = 'Strict-Transport-Security';
const hsts = 'max-age=2592000';
const documents =
  /^(\/(history(\/\d{1,9})?|(incidents|maintenances)\/[\w-]{1,64}|feed\.(rss|atom)|[a-z]+\.(json|svg|ico)|logo))?$/;
const forms = /^\/(subscribe|confirm|unsubscribe|access|leave)$/;

/**
 * Serves pages at domains of their own, from what is published alone, and nothing else there: neither the API nor the
 * dashboard is found at the domain of somebody else. The `Host` header is believed for this choice only. A domain that
 * was never proven is like any other host: a project could name the one by which those of all projects come.
 */
export class OwnHosts {
  readonly #services: OwnHostServices;
  readonly #ownHost: string;
  readonly #isSecure: boolean;
  /** Headers of answers, and of documents, by whether the request came by https. */
  readonly #kinds: Readonly<Record<'http' | 'https', { defaults: Headers; documents: PageHeaders }>>;

  constructor(services: OwnHostServices) {
    this.#services = services;
    this.#ownHost = hostOfUrl(services.baseUrl);
    this.#isSecure = services.baseUrl.startsWith('https:');
    const { [hstsName]: _, ...plain } = services.defaults;
    const secure = { ...plain, [hstsName]: hsts };
    this.#kinds = {
      http: { defaults: plain, documents: new PageHeaders(plain) },
      https: { defaults: secure, documents: new PageHeaders(secure) },
    };
  }

  serve(request: IncomingMessage, response: ServerResponse): Outcome {
    const host = this.#find(request);
    if (host === undefined) return { type: this.#ask(request, response) ? 'answered' : 'elsewhere' };
    const scheme = schemeOf(request, this.#services.trustedProxies);
    const { defaults, documents: headers } = this.#kinds[scheme === 'https' ? 'https' : 'http'];
    const isForm = this.#visit(host, { scheme, defaults, headers }, request, response);
    return isForm ? { type: 'form', defaults } : { type: 'answered' };
  }

  /** Whether an upgrade is refused. */
  refusesUpgrade(request: IncomingMessage): boolean {
    return this.#find(request) !== undefined;
  }

  /** By the `Host` header, and by an address in the first line, which stands above it (RFC 9112, 3.2.2). */
  #find(request: IncomingMessage): HostRow | undefined {
    const { hosts } = this.#services.pages;
    const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(request.url ?? '') ?? [];
    const names = [hostOf(request), ...(authority === undefined ? [] : [plainHost(authority)])];
    // PUBLIC_URL may have got the name of a page after that was proven.
    const own = names.filter(name => name !== this.#ownHost).map(name => hosts.find(name));
    return own.find(host => host !== undefined);
  }

  /** True if the request is for the routes of subscribers. */
  #visit(
    host: HostRow,
    at: { scheme: 'http' | 'https' | null; defaults: Headers; headers: PageHeaders },
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean {
    const parts = this.#partsOf(host, request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isPage = parts !== null && (isRead || request.method === 'POST') && isKnown(parts.rest, isRead);
    const leads = (status: 307 | 308, location: string) =>
      void response.writeHead(status, { ...at.defaults, ...redirected, Location: location }).end();
    if (!isPage) this.#refuse(at.defaults, request, response);
    else if (this.#isSecure && at.scheme === 'http') leads(308, `https://${host.domain}${request.url}`);
    else if (!host.isCanonical) {
      if (isRead) leads(307, this.#homeOf(host, parts));
      else this.#refuse(at.defaults, request, response);
    } else if (parts.isBelow) {
      // Which slug a private page has is for those alone who may see it.
      if (this.#services.gatekeeper.letsIn(this.#pageOf(host), request)) leads(308, shownPath(parts) + parts.query);
      else this.#refuse(at.defaults, request, response);
    } else return this.#show(host, { ...at, parts }, request, response);
    return false;
  }

  /** What is asked for of the page; null if it is nothing of it. `isBelow`: by its address below PUBLIC_URL. */
  #partsOf(host: HostRow, { url = '' }: IncomingMessage): (Parts & { isBelow: boolean }) | null {
    const slug = host.isProven ? this.#services.pages.slugOf(host.pageId) : undefined;
    if (slug === undefined || !/^\/[\x21-\x7e]*$/.test(url)) return null;
    const below = `/status/${slug}`;
    const isBelow = url.startsWith(below) && /^[/?]?$/.test(url.charAt(below.length));
    return { ...ownPartsOf(isBelow ? url.slice(below.length) : url, slug), isBelow };
  }

  #show(
    host: HostRow,
    { parts, defaults, headers }: { parts: Parts; defaults: Headers; headers: PageHeaders },
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean {
    const { gatekeeper, pages } = this.#services;
    const rest = parts.rest === '/favicon.ico' ? '/icon.svg' : parts.rest;
    const asked = { ...parts, rest, defaults };
    if (gatekeeper.serveAt(asked, request, response)) return false;
    if (/^\/(subscribe|confirm|unsubscribe)$/.test(rest)) {
      noteOwnHost(request, host.pageId);
      request.url = `/status/${parts.segment}${rest}${parts.query}`;
      return true;
    }
    const path = documentPath({ slug: parts.segment }, rest.slice(1));
    if (request.method === 'POST' || !serveDocument(pages, path, headers, request, response))
      this.#refuse(defaults, request, response);
    return false;
  }

  #homeOf({ pageId }: HostRow, { segment, rest, query }: Parts): string {
    const { pages, baseUrl } = this.#services;
    const domain = pages.hosts.canonicalOf(pageId) ?? null;
    return pageUrl(baseUrl, { slug: segment, domain }) + (rest || (domain === null ? '' : '/')) + query;
  }

  #pageOf({ pageId }: HostRow): { id: string; isPrivate: boolean } {
    const slug = this.#services.pages.slugOf(pageId) ?? '';
    return { id: pageId, isPrivate: this.#services.pages.find(documentPath({ slug })) === undefined };
  }

  /** The same for whatever is not there. */
  #refuse(defaults: Headers, request: IncomingMessage, response: ServerResponse): void {
    if (wantsJson(request.headers)) {
      const doorkeeping = { baseUrl: this.#services.baseUrl, defaults };
      return sendProblem(doorkeeping, new Problem('not_found'), request, response);
    }
    const locale = visitorLocale(request.headers['accept-language'] ?? '');
    const body = renderNotice(null, { ...languageOf(locale).words.notice.notFound, form: null }, locale);
    response.writeHead(404, {
      ...defaults,
      'Cache-Control': 'no-store',
      'Content-Security-Policy': noticeSecurityPolicy,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      Vary: 'Accept, Accept-Language',
      'X-Request-Id': requestIdOf(request),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** Says to a proxy whether it may have a certificate for a name. To everybody else there is no such path. */
  #ask(request: IncomingMessage, response: ServerResponse): boolean {
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    if (path !== '/tls/ask' || request.method !== 'GET') return false;
    if (!isFromProxyItself(request, this.#services.trustedProxies)) return false;
    const name = plainHost(new URLSearchParams(query).get('domain') ?? '');
    const isServed = name === this.#ownHost || this.#services.pages.hosts.find(name)?.isProven === true;
    response.writeHead(isServed ? 200 : 404, { ...this.#services.defaults, 'Content-Length': 0 }).end();
    return true;
  }
}

function isKnown(rest: string, isRead: boolean): boolean {
  return forms.test(rest) ? !isRead || !/^\/(subscribe|leave)$/.test(rest) : isRead && documents.test(rest);
}
