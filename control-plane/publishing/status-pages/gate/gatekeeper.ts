import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressRange } from '#shared/network/guard.ts';
import { callerAddress } from '../../../platform/http/limits/caller-address.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { Gate } from '../access/gate.ts';
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
import { type Parts, partsOf } from './request-parts.ts';
import { sendPrivate } from './send-private.ts';
import { openTicket, signInUrl } from './ticket.ts';

export type GatekeeperServices = {
  pages: Pick<PublishedPages, 'gates' | 'find' | 'get' | 'read' | 'plain'>;
  keyring: Keyring;
  baseUrl: string;
  trustedProxies: readonly AddressRange[];
  now(): number;
  /** Headers of every answer; an answer's own replace them. */
  defaults: Readonly<Record<string, string>>;
};

/**
 * Stands before private pages, with what is published alone: neither a database nor another replica is asked. What it
 * does not answer is answered as for an address that does not exist.
 */
export class Gatekeeper {
  readonly #services: GatekeeperServices;
  readonly #doorkeeping: Doorkeeping;
  readonly #desk: PasswordDesk;
  readonly #secure: boolean;

  constructor(services: GatekeeperServices) {
    this.#services = services;
    this.#doorkeeping = { baseUrl: services.baseUrl, defaults: services.defaults };
    this.#secure = services.baseUrl.startsWith('https:');
    this.#desk = new PasswordDesk(services.now);
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

  /** False if the request is not for a private page, or must not learn that it is. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const parts = partsOf(request.url ?? '');
    const gated = parts === null ? undefined : this.#services.pages.gates.find(parts.segment);
    if (parts === null || gated === undefined) return false;
    if (/^\/(confirm|unsubscribe)$/.test(parts.rest)) return false;
    const { gate, isFormer } = gated;
    // A former slug that was set free, and is another page's by now.
    if (isFormer && this.#services.pages.find(documentPath({ slug: parts.segment })) !== undefined) return false;
    if (gate === null) {
      refuse(this.#doorkeeping, { status: 503, refusal: { type: 'unavailable' } }, request, response);
      return true;
    }
    if (request.method === 'POST') return this.#post(gate, parts, request, response);
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    if (parts.access !== null && opensLink(gate, parts.access)) {
      const location = `/status/${parts.segment}${parts.rest}`;
      this.#letIn(gate, location, response);
      return true;
    }
    if (parts.ticket !== null && parts.rest === '/access' && this.#takeTicket(gate, parts, response)) return true;
    if (!this.#admits(gate, parts, request)) return this.#refuse(gate, parts, request, response);
    return this.#show(gated, gate, parts, request, response);
  }

  #show(
    { slug, isFormer }: Gated,
    gate: Gate,
    { rest, key }: Parts,
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean {
    const { pages, defaults } = this.#services;
    if (isFormer) {
      const query = key === null ? '' : `?key=${encodeURIComponent(key)}`;
      response.writeHead(308, { ...defaults, ...redirectHeaders(`/status/${slug}${rest}${query}`) }).end();
      return true;
    }
    const path = documentPath({ slug, isPrivate: true }, rest.slice(1));
    if (rest === '/' || pages.find(path) === undefined) return false;
    sendPrivate(pages, path, { gate, slug, defaults }, request, response).catch(() => response.destroy());
    return true;
  }

  #post(gate: Gate, parts: Parts, request: IncomingMessage, response: ServerResponse): boolean {
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

  #tryPassword(gate: Gate, parts: Parts, request: IncomingMessage, response: ServerResponse): void {
    const address = callerAddress(request, this.#services.trustedProxies);
    this.#desk
      .ask(gate, { segment: parts.segment, address }, request)
      .then(answer => {
        if (answer.type === 'let_in') this.#letIn(gate, answer.location, response);
        else refuse(this.#doorkeeping, answer, request, response);
      })
      .catch(error => sendProblem(this.#doorkeeping, error, request, response));
  }

  #leave(gate: Gate, parts: Parts, request: IncomingMessage, response: ServerResponse): boolean {
    if (gate.type === 'link' && !this.#admits(gate, parts, request)) return false;
    if (isCrossSite(request.headers)) return this.#refuse(gate, parts, request, response);
    const headers = { ...this.#services.defaults, ...redirectHeaders(`/status/${parts.segment}`) };
    response.writeHead(303, { ...headers, 'Set-Cookie': endedVisitor(gate.pageId, this.#secure) }).end();
    return true;
  }

  /** Lets a member in who comes from the dashboard. Since when counts is when the dashboard saw them. */
  #takeTicket(gate: Gate, { segment, ticket: text }: Parts, response: ServerResponse): boolean {
    const { keyring, now, baseUrl } = this.#services;
    const ticket = openTicket(text ?? '', gate, { keyring, host: new URL(baseUrl).host, nowMs: now() });
    if (gate.type !== 'members' || ticket === null) return false;
    this.#letIn(gate, `/status/${segment}`, response, { person: ticket.person, at: ticket.at });
    return true;
  }

  #letIn(gate: Gate, location: string, response: ServerResponse, member: { person?: string; at?: number } = {}): void {
    const visitor = { page: gate.pageId, version: gate.version, at: this.#services.now(), ...member };
    const cookie = visitorCookie(visitor, this.#services.keyring, this.#secure);
    const headers = { ...this.#services.defaults, ...redirectHeaders(location), 'Set-Cookie': cookie };
    response.writeHead(303, headers).end();
  }

  #visitorOf(gate: Gate, request: IncomingMessage): Visitor | null {
    const { keyring, now } = this.#services;
    return readVisitor(request.headers, gate, { keyring, secure: this.#secure, nowMs: now() });
  }

  #admits(gate: Gate, { rest, key }: Pick<Parts, 'rest' | 'key'>, request: IncomingMessage): boolean {
    const visitor = this.#visitorOf(gate, request);
    const address = callerAddress(request, this.#services.trustedProxies);
    return admits(gate, { visitor, key, address, rest: rest.slice(1) });
  }

  /** A page that is seen by link does not exist for anybody else: false. */
  #refuse(gate: Gate, parts: Parts, request: IncomingMessage, response: ServerResponse): boolean {
    if (gate.type === 'link') return false;
    refuse(this.#doorkeeping, { status: 403, refusal: this.#refusalOf(gate, parts, request) }, request, response);
    return true;
  }

  #refusalOf(gate: Gate, { segment, rest }: Parts, request: IncomingMessage): Refusal {
    const { trustedProxies, baseUrl } = this.#services;
    if (gate.type === 'ip') return { type: 'ip', address: callerAddress(request, trustedProxies) };
    if (gate.type === 'members') return { type: 'members', url: signInUrl(baseUrl, gate.pageId) };
    return this.#desk.form(segment, `/status/${segment}${rest}`);
  }
}
