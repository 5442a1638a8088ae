import type Router from '@koa/router';
import type Koa from 'koa';
import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import { findPerson } from '../../access/people/store.ts';
import { classifyFault } from '../../platform/db/errors.ts';
import { type Sql, sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type BodyBudget, reserveBodyFor } from '../../platform/http/bodies/body-budget.ts';
import { parseBody } from '../../platform/http/bodies/parse-body.ts';
import { readBytes } from '../../platform/http/bodies/read-body.ts';
import { parseForm } from '../../platform/http/bodies/read-form.ts';
import type { EndpointServices } from '../../platform/http/endpoint/endpoint-services.ts';
import type { CallerKey } from '../../platform/http/limits/caller-address.ts';
import { chargeRequest } from '../../platform/http/limits/rate-limit.ts';
import { awaySeconds, Problem } from '../../platform/http/problem.ts';
import type { Gatekeeper } from '../status-pages/gate/gatekeeper.ts';
import { pageOfOwnHost } from '../status-pages/hosts/visited-page.ts';
import { type Locale, languageOf } from '../status-pages/locale/language.ts';
import { visitorLocale } from '../status-pages/locale/visitor-locale.ts';
import type { Words } from '../status-pages/locale/words.ts';
import type { Notice } from '../status-pages/publish/page-model.ts';
import { noticeSecurityPolicy, pathOf } from '../status-pages/render/layout.ts';
import { renderNotice } from '../status-pages/render/notice.ts';
import { findPageById, findPageBySlug } from '../status-pages/store.ts';
import { type SubscriberServices, subscribeAddress } from './subscribe.ts';
import { hashToken, isToken, subscribeSchema } from './subscriber.ts';
import { confirmByToken, findByToken, findPageOfToken, unsubscribeByToken } from './token-store.ts';
import { requireComponents } from './validate.ts';

export type PublicServices = SubscriberServices & {
  /** `front` finds pages and rate-limits callers, `api` is restricted to the page's project. */
  pools: { front: pg.Pool; api: pg.Pool };
  /** What one project may use of `api` at once. */
  connections: EndpointServices['bulkheads']['api']['connections'];
  /** Who may see private pages, and so subscribe to them. */
  gatekeeper: Pick<Gatekeeper, 'letsIn' | 'memberAt' | 'isForeign'>;
  clock: Clock;
  callerKey: CallerKey;
  /** False without an SMTP server: nobody could confirm. */
  canMail: boolean;
  /** For forms, by the address they come from. */
  forms: BodyBudget;
};

type Page = NonNullable<Awaited<ReturnType<typeof findPageBySlug>>>;
type Found = { page: Page; byToken: boolean };
type Visit = { context: Koa.Context; page: Page; words: Words['notice']; token: string; nowMs: number };
type Answer = { status: number; notice: Notice };
type Verb = 'subscribe' | 'confirm' | 'unsubscribe';

const subscribeLimit = { perMinute: 5, burst: 5 };
/** Links opened from one address: the email scanners of a large company open many. */
const linkLimit = { perMinute: 120, burst: 60 };

/** Subscribing, confirming and unsubscribing on a page. A GET only shows a form: email scanners open every link. */
export function addSubscriberRoutes(router: Router, services: PublicServices): void {
  const add = (method: 'get' | 'post', verb: Verb, work: (visit: Visit) => Promise<Answer>) =>
    router[method](`/status/:slug/${verb}`, context => answer(context, services, verb, work));
  const inProject = <Result>(visit: Visit, work: (sql: Sql) => Promise<Result>) =>
    services.connections.run(visit.page.projectId, () => transaction(services.pools.api, work, visit.page.projectId));
  const formFor = (verb: 'confirm' | 'unsubscribe') => async (visit: Visit) => {
    if (!isToken(visit.token)) return invalidLink(visit);
    return inProject(visit, async sql => {
      if ((await findByToken(sql, visit.page.id, hashToken(visit.token))) === null)
        return verb === 'unsubscribe' ? gone(visit.words) : invalidLink(visit);
      const action = `${pathOf(visit.page)}/${verb}?token=${encodeURIComponent(visit.token)}`;
      const { button, ...notice } = visit.words[verb];
      return { status: 200, notice: { ...notice, form: { action, button } } };
    });
  };

  add('post', 'subscribe', visit => subscribe(visit, services, inProject));
  add('get', 'confirm', formFor('confirm'));
  add('post', 'confirm', async visit => {
    if (!isToken(visit.token)) return invalidLink(visit);
    const hash = hashToken(visit.token);
    const state = await inProject(visit, sql => confirmByToken(sql, visit.page.id, hash, visit.nowMs));
    return state === 'active' ? answerOf(200, visit.words.confirmed) : invalidLink(visit);
  });
  add('get', 'unsubscribe', formFor('unsubscribe'));
  add('post', 'unsubscribe', async visit => {
    // RFC 8058 posts a form whose only field says that this is one click; the token in the address identifies the
    // subscriber.
    await readForm(visit, services);
    if (!isToken(visit.token)) return invalidLink(visit);
    await inProject(visit, async sql => {
      const id = await unsubscribeByToken(sql, visit.page.id, hashToken(visit.token), visit.nowMs);
      if (id !== null) await services.hooks.left(sql, id, visit.nowMs);
    });
    return gone(visit.words);
  });
}

/** Anybody may send one, so that its bytes count for the address it comes from. */
function readForm({ context }: Visit, { forms, callerKey }: PublicServices): Promise<Buffer> {
  const caller = callerKey(context.req);
  const reserved = reserveBodyFor(context.res, forms, { caller, owner: caller });
  return readBytes(context.req, forms.bodyBytesMax, reserved.take);
}

async function subscribe(
  visit: Visit,
  services: PublicServices,
  inProject: <Result>(visit: Visit, work: (sql: Sql) => Promise<Result>) => Promise<Result>,
): Promise<Answer> {
  const { context, page, words, nowMs } = visit;
  if (!services.canMail) return answerOf(404, words.noEmail);
  if (services.gatekeeper.isForeign(context.req)) throw new Problem('origin_not_allowed');
  await chargeRequest(sqlOf(services.pools.front), `subscribe ${services.callerKey(context.req)}`, subscribeLimit);
  const { email, component_ids } = await parseBody(
    subscribeSchema,
    parseForm(context.req, await readForm(visit, services), ['component_ids']),
  );
  const personId = services.gatekeeper.memberAt(page, context.req);
  if (personId !== null && !(await isOwnEmail(services, personId, email))) return answerOf(422, words.ownEmail);
  await inProject(visit, async sql => {
    await requireComponents(sql, { projectId: page.projectId, statusPageId: page.id }, component_ids);
    const place = { projectId: page.projectId, statusPageId: page.id, channel: 'email' } as const;
    const entry = { ...place, address: email, componentIds: component_ids, consent: null, byVisitor: true, personId };
    await subscribeAddress(sql, services, entry, nowMs);
  });
  // The same whether or not the address is subscribed: it must not reveal who is.
  return answerOf(202, words.checkInbox);
}

/** Whether an address is the verified one of a person. */
async function isOwnEmail({ pools }: PublicServices, personId: string, email: string): Promise<boolean> {
  const person = await findPerson(sqlOf(pools.front), personId);
  return person?.email_verified === true && person.email?.toLowerCase() === email.toLowerCase();
}

async function answer(
  context: Koa.Context,
  services: PublicServices,
  verb: Verb,
  work: (visit: Visit) => Promise<Answer>,
): Promise<void> {
  const { slug = '' } = (context as Koa.Context & { params: Record<string, string> }).params;
  // Links in emails are for people; a program that prefers JSON says so.
  const forPeople = context.accepts(...(verb === 'subscribe' ? ['json', 'html'] : ['html', 'json'])) === 'html';
  context.set('Cache-Control', 'no-store');
  context.set('Referrer-Policy', 'no-referrer');
  let page: Page | null = null;
  try {
    const token = String(context.query.token ?? '').slice(0, 200);
    if (verb !== 'subscribe') await chargeVisit(context, services);
    const found = await findPage(services, { own: pageOfOwnHost(context.req), slug, token });
    page = found !== null && mayAct(services, { ...found, verb }, context) ? found.page : null;
    if (page === null && verb === 'unsubscribe' && isToken(token))
      return show(context, null, forPeople, gone(wordsOf(context, null)));
    if (page === null) throw new Problem('not_found');
    const nowMs = services.clock.now();
    show(context, page, forPeople, await work({ context, page, words: wordsOf(context, page), token, nowMs }));
  } catch (error) {
    if (!forPeople || !(error instanceof Problem || isAway(error))) throw error;
    const retryAfter = error instanceof Problem ? error.details.retryAfter : awaySeconds;
    if (retryAfter !== undefined) context.set('Retry-After', String(retryAfter));
    show(context, page, forPeople, answerToFault(error, wordsOf(context, page)));
  }
}

/** With a token or without: each looks for a page. */
async function chargeVisit(context: Koa.Context, { pools, callerKey }: PublicServices): Promise<void> {
  await chargeRequest(sqlOf(pools.front), `subscription ${callerKey(context.req)}`, linkLimit);
}

/** The database is away, or too many visitors of the project wait for it. */
function isAway(error: unknown): boolean {
  return classifyFault(error) === 'away' || (error instanceof Problem && error.code === 'unavailable');
}

/**
 * Finds the page by the token, whatever the slug: since the email was sent the page may have got another slug, and its
 * old slug another page. At a page's own domain (`own`) there is no other. Null if there is no such page.
 */
async function findPage(
  services: PublicServices,
  { own, slug, token }: { own: string | null; slug: string; token: string },
): Promise<Found | null> {
  const sql = sqlOf(services.pools.front);
  const byToken = isToken(token) ? await findPageOfToken(sql, hashToken(token)) : null;
  if (own !== null) {
    const page = byToken?.id === own ? byToken : await findPageById(sql, own);
    return page === null ? null : { page, byToken: byToken?.id === own };
  }
  // Reject anything that is not slug-shaped before it reaches SQL, which refuses some characters.
  const page = byToken ?? (/^[a-z0-9-]{1,63}$/.test(slug) ? await findPageBySlug(sql, slug) : null);
  // Links in the answer stay on this host.
  return page === null ? null : { page: { ...page, domain: null }, byToken: byToken !== null };
}

/**
 * Whether a visitor may do this on the page. A private one does not exist for somebody who is not let in, and who has
 * no token from one of its emails: nothing more is looked up for it than for a page that does not exist.
 */
function mayAct(
  { gatekeeper }: PublicServices,
  { page, byToken, verb }: Found & { verb: Verb },
  context: Koa.Context,
): boolean {
  if (page.isPrivate !== true) return true;
  return verb === 'subscribe' ? gatekeeper.letsIn(page, context.req) : byToken;
}

function show(context: Koa.Context, page: Page | null, forPeople: boolean, { status, notice }: Answer): void {
  if (!forPeople && status >= 400) throw new Problem('not_found', { detail: notice.title });
  context.status = status;
  if (forPeople) {
    context.type = 'text/html; charset=utf-8';
    context.set('Content-Security-Policy', noticeSecurityPolicy);
    if (page === null) context.vary('Accept-Language');
    context.body = renderNotice(page, notice, localeOf(context, page));
  } else {
    context.type = 'application/json';
    context.body = JSON.stringify({ title: notice.title, detail: notice.text });
  }
}

function wordsOf(context: Koa.Context, page: Page | null): Words['notice'] {
  return languageOf(localeOf(context, page)).words.notice;
}

/** The page's language; where there is no page, the visitor's. */
function localeOf(context: Koa.Context, page: Page | null): Locale {
  return page?.locale ?? visitorLocale(context.get('accept-language'));
}

function answerOf(status: number, { title, text }: { title: string; text: string }): Answer {
  return { status, notice: { title, text, form: null } };
}

function invalidLink({ words }: Visit): Answer {
  return answerOf(404, words.invalidLink);
}

/** Also for a token whose subscriber or page was deleted, and the address with it: no more emails come, RFC 8058. */
function gone(words: Words['notice']): Answer {
  return answerOf(200, words.unsubscribed);
}

/** Problems are worded for developers: visitors get a sentence in the language of the page. */
function answerToFault(error: unknown, words: Words['notice']): Answer {
  if (!(error instanceof Problem) || isAway(error)) return answerOf(503, words.unavailable);
  if (error.code === 'not_found') return answerOf(404, words.notFound);
  if (error.code === 'rate_limited') return answerOf(429, words.tooMany);
  const isEmail = error.details.errors?.some(field => 'pointer' in field && field.pointer === '/email');
  return answerOf(error.status, isEmail ? words.invalidEmail : words.invalid);
}
