import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressRange } from '#shared/network/guard.ts';
import { callerAddress } from '../../../platform/http/limits/caller-address.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { Gate } from '../access/gate.ts';
import { hostOfUrl } from '../domains/domain.ts';
import { domainOrigin, pageUrl } from '../hosts/own-address.ts';
import { hostOf } from '../hosts/request-host.ts';
import type { Refusal } from '../render/refusal.ts';
import { documentPath } from '../serve/document-names.ts';
import type { PublishedPages } from '../serve/published-pages.ts';
import { admits, opensLink } from './admit.ts';
import { isCrossSite } from './cross-site.ts';
import type { Gated } from './gates.ts';
import { endedVisitor, readVisitor, type Visitor, visitorCookie } from './page-cookie.ts';
import { PasswordDesk } from './password-desk.ts';
import { redirectHeaders } from './private-headers.ts';
import { type Doorkeeping, refuse, sendProblem } from './refuse.ts';
import { type Parts, partsOf, shownPath } from './request-parts.ts';
import { sendPrivate } from './send-private.ts';
import { openTicket, signInUrl } from './ticket.ts';

export type GatekeeperServices = {
  pages: Pick<PublishedPages, 'gates' | 'hosts' | 'find' | 'get' | 'read' | 'plain'>;
  keyring: Keyring;
  baseUrl: string;
  trustedProxies: readonly AddressRange[];
  now(): number;
  /** Headers of every answer; an answer's own replace them. */
  defaults: Readonly<Record<string, string>>;
};

/** What is asked for, and the headers of every answer at its host. */
export type Asked = Parts & { defaults: Readonly<Record<string, string>> };

/**
 * Stands before private pages, with what is published alone: neither a database nor another replica is asked. What it
 * does not answer is answered as for an address that does not exist.
 */
export class Gatekeeper {
  readonly #services: GatekeeperServices;
  readonly #desk: PasswordDesk;
  readonly #secure: boolean;

  constructor(services: GatekeeperServices) {
    this.#services = services;
    this.#secure = services.baseUrl.startsWith('https:');
    this.#desk = new PasswordDesk(services);
  }

  /** Whether the request may do what visitors of the page may, who subscribe for example. */
  letsIn(page: { id: string; isPrivate?: boolean }, request: IncomingMessage): boolean {
    const gate = this.#services.pages.gates.ofPage(page.id);
    if (gate === undefined) return page.isPrivate !== true;
    return this.#admits(gate, { rest: '', key: null }, request);
  }

  /** The member who asks, on a page for members; null on others. */
  memberAt(page: { id: string }, request: IncomingMessage): string | null {
    const gate = this.#services.pages.gates.ofPage(page.id);
    return gate?.type === 'members' ? (this.#visitorOf(gate, request)?.person ?? null) : null;
  }

  /** Whether a page of another site sent the form. */
  isForeign({ headers }: IncomingMessage): boolean {
    return isCrossSite(headers, this.#services.baseUrl);
  }

  /** False if the request is not for a private page, or must not learn that it is. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const parts = partsOf(request.url ?? '');
    return parts !== null && this.serveAt({ ...parts, defaults: this.#services.defaults }, request, response);
  }

  /** The same for a page at its own domain. */
  serveAt(parts: Asked, request: IncomingMessage, response: ServerResponse): boolean {
    const gated = this.#services.pages.gates.find(parts.segment);
    if (gated === undefined) return false;
    if (/^\/(confirm|unsubscribe)$/.test(parts.rest)) return false;
    const { gate, isFormer } = gated;
    // A former slug that was set free, and is another page's by now.
    if (isFormer && this.#services.pages.find(documentPath({ slug: parts.segment })) !== undefined) return false;
    if (gate === null) {
      refuse(this.#doorkeeping(parts), { status: 503, refusal: { type: 'unavailable' } }, request, response);
      return true;
    }
    if (request.method === 'POST') return this.#post(gate, parts, request, response);
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    if (parts.access !== null && opensLink(gate, parts.access)) {
      // A cookie is for one host alone.
      if (this.#leadsHome(gate, parts, response)) return true;
      this.#letIn(gate, parts, request, response);
      return true;
    }
    if (parts.ticket !== null && parts.rest === '/access' && this.#takeTicket(gate, parts, request, response))
      return true;
    if (!this.#admits(gate, parts, request)) return this.#refuse(gate, parts, request, response);
    return this.#show(gated, gate, parts, request, response);
  }

  #show(
    { slug, isFormer }: Gated,
    gate: Gate,
    parts: Asked,
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean {
    const { pages } = this.#services;
    const { rest, key, defaults } = parts;
    if (isFormer) {
      const query = key === null ? '' : `?key=${encodeURIComponent(key)}`;
      response.writeHead(308, { ...defaults, ...redirectHeaders(`/status/${slug}${rest}${query}`) }).end();
      return true;
    }
    const path = documentPath({ slug, isPrivate: true }, rest.slice(1));
    const head = rest === '/' ? undefined : pages.find(path);
    if (head === undefined) return false;
    if (head.contentType.startsWith('text/html') && this.#leadsHome(gate, parts, response)) return true;
    sendPrivate(pages, path, { gate, slug, defaults }, request, response).catch(() => response.destroy());
    return true;
  }

  /** Sends a visitor of the address below PUBLIC_URL to the page's own domain. False if it has none. */
  #leadsHome(gate: Gate, { base, segment, rest, query, defaults }: Asked, response: ServerResponse): boolean {
    const domain = base === '' ? undefined : this.#services.pages.hosts.canonicalOf(gate.pageId);
    if (domain === undefined) return false;
    const address = pageUrl(this.#services.baseUrl, { slug: segment, domain }) + (rest || '/');
    const kept = /^[\x21-\x7e]*$/.test(query) ? query : '';
    response.writeHead(307, { ...defaults, ...redirectHeaders(address + kept) }).end();
    return true;
  }

  #doorkeeping({ defaults }: Asked): Doorkeeping {
    return { baseUrl: this.#services.baseUrl, defaults };
  }

  #post(gate: Gate, parts: Asked, request: IncomingMessage, response: ServerResponse): boolean {
    switch (parts.rest) {
      case '/access':
        if (gate.type !== 'password') return this.#refuse(gate, parts, request, response);
        this.#tryPassword(gate, parts, request, response);
        return true;
      case '/leave':
        return this.#leave(gate, parts, request, response);
      case '/subscribe':
        return this.#admits(gate, parts, request) ? false : this.#refuse(gate, parts, request, response);
      default:
        return false;
    }
  }

  #tryPassword(gate: Gate, parts: Asked, request: IncomingMessage, response: ServerResponse): void {
    const address = callerAddress(request, this.#services.trustedProxies);
    this.#desk
      .ask(gate, { base: parts.base, address }, request)
      .then(answer => {
        if (answer.type === 'let_in')
          this.#letIn(gate, { ...parts, rest: answer.location.slice(parts.base.length) }, request, response);
        else refuse(this.#doorkeeping(parts), answer, request, response);
      })
      .catch(error => sendProblem(this.#doorkeeping(parts), error, request, response));
  }

  #leave(gate: Gate, parts: Asked, request: IncomingMessage, response: ServerResponse): boolean {
    if (gate.type === 'link' && !this.#admits(gate, parts, request)) return false;
    if (this.isForeign(request)) return this.#refuse(gate, parts, request, response);
    const headers = { ...parts.defaults, ...redirectHeaders(parts.base || '/') };
    response.writeHead(303, { ...headers, 'Set-Cookie': endedVisitor(gate.pageId, this.#secure) }).end();
    return true;
  }

  /** Lets a member in who comes from the dashboard. Since when counts is when the dashboard saw them. */
  #takeTicket(gate: Gate, parts: Asked, request: IncomingMessage, response: ServerResponse): boolean {
    const { keyring, now, baseUrl, pages } = this.#services;
    const domain = parts.base === '' ? pages.hosts.canonicalOf(gate.pageId) : undefined;
    const { host } = new URL(domain === undefined ? baseUrl : domainOrigin(baseUrl, domain));
    const ticket = openTicket(parts.ticket ?? '', gate, { keyring, host, nowMs: now() });
    if (gate.type !== 'members' || ticket === null) return false;
    this.#letIn(gate, { ...parts, rest: '' }, request, response, { person: ticket.person, at: ticket.at });
    return true;
  }

  #letIn(
    gate: Gate,
    parts: Asked,
    request: IncomingMessage,
    response: ServerResponse,
    member: { person?: string; at?: number } = {},
  ): void {
    const place = { page: gate.pageId, host: this.#hostOf(gate, request) };
    const visitor = { ...place, version: gate.version, at: this.#services.now(), ...member };
    const cookie = visitorCookie(visitor, this.#services.keyring, this.#secure);
    const headers = { ...parts.defaults, ...redirectHeaders(shownPath(parts)), 'Set-Cookie': cookie };
    response.writeHead(303, headers).end();
  }

  #visitorOf(gate: Gate, request: IncomingMessage): Visitor | null {
    const { keyring, now } = this.#services;
    const host = this.#hostOf(gate, request);
    return readVisitor(request.headers, gate, { keyring, secure: this.#secure, host, nowMs: now() });
  }

  /** Where the visitor is: at the page's own domain, or at PUBLIC_URL, by whichever name. */
  #hostOf({ pageId }: Gate, request: IncomingMessage): string {
    const { pages, baseUrl } = this.#services;
    const domain = pages.hosts.canonicalOf(pageId);
    return domain !== undefined && hostOf(request) === domain ? domain : hostOfUrl(baseUrl);
  }

  #admits(gate: Gate, { rest, key }: Pick<Parts, 'rest' | 'key'>, request: IncomingMessage): boolean {
    const visitor = this.#visitorOf(gate, request);
    const address = callerAddress(request, this.#services.trustedProxies);
    return admits(gate, { visitor, key, address, rest: rest.slice(1) });
  }

  /** A page that is seen by link does not exist for anybody else: false. */
  #refuse(gate: Gate, parts: Asked, request: IncomingMessage, response: ServerResponse): boolean {
    if (gate.type === 'link') return false;
    const refusal = this.#refusalOf(gate, parts, request);
    refuse(this.#doorkeeping(parts), { status: 403, refusal }, request, response);
    return true;
  }

  #refusalOf(gate: Gate, parts: Parts, request: IncomingMessage): Refusal {
    const { trustedProxies, baseUrl } = this.#services;
    if (gate.type === 'ip') return { type: 'ip', address: callerAddress(request, trustedProxies) };
    if (gate.type === 'members') return { type: 'members', url: signInUrl(baseUrl, gate.pageId) };
    return this.#desk.form(parts.base, shownPath(parts));
  }
}
