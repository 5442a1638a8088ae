import type Router from '@koa/router';
import type Koa from 'koa';
import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import { classifyFault } from '../db/errors.ts';
import { type Sql, sqlOf } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { callerAddress, limitKey, type TrustedProxies } from '../http/caller-address.ts';
import { Problem } from '../http/problem.ts';
import { chargeRequest } from '../http/rate-limit.ts';
import { readBytes } from '../http/read-body.ts';
import { readForm } from '../http/read-form.ts';
import { parseBody } from '../http/validate.ts';
import type { Notice } from '../status-pages/page-model.ts';
import { pageSecurityPolicy } from '../status-pages/render/layout.ts';
import { renderNotice } from '../status-pages/render/notice.ts';
import { findPageBySlug } from '../status-pages/store.ts';
import { enterSubscriber, type SubscriberServices } from './enter.ts';
import { refuseUnknown } from './routes.ts';
import { confirmByToken, findByToken, findPageOfToken, unsubscribeByToken } from './store.ts';
import { hashToken, subscribeSchema } from './subscriber.ts';

export type PublicServices = SubscriberServices & {
  /** `front` finds pages and charges callers, `api` is held to the page's project. */
  pools: { front: pg.Pool; api: pg.Pool };
  clock: Clock;
  trustedProxies: TrustedProxies;
  /** Without a mail server nobody could confirm. */
  canMail: boolean;
};

type Page = NonNullable<Awaited<ReturnType<typeof findPageBySlug>>>;
type Visit = { context: Koa.Context; page: Page; token: string; nowMs: number };
type Shown = { status: number; notice: Notice };

const subscribeLimit = { perMinute: 5, burst: 5 };
/** Links followed from one address: mail scanners of a large company open many. */
const linkLimit = { perMinute: 120, burst: 60 };

/** What visitors of a page do with a subscription. A GET only shows a form: mail scanners open every link. */
export function addSubscriberRoutes(router: Router, services: PublicServices): void {
  const add = (method: 'get' | 'post', verb: string, work: (visit: Visit) => Promise<Shown>) =>
    router[method](`/status/:slug/${verb}`, context => answer(context, services, work));
  const inProject = <Result>(visit: Visit, work: (sql: Sql) => Promise<Result>) =>
    transaction(services.pools.api, work, visit.page.projectId);
  const ask = (verb: string, notice: Omit<Notice, 'form'>, button: string) => (visit: Visit) =>
    inProject(visit, async sql => {
      if ((await findByToken(sql, visit.page.id, hashToken(visit.token))) === null) return goneNotice;
      const action = `/status/${visit.page.slug}/${verb}?token=${encodeURIComponent(visit.token)}`;
      return { status: 200, notice: { ...notice, form: { action, button } } };
    });

  add('post', 'subscribe', visit => subscribe(visit, services, inProject));
  add('get', 'confirm', ask('confirm', confirmQuestion, 'Confirm subscription'));
  add('post', 'confirm', async visit => {
    const hash = hashToken(visit.token);
    const state = await inProject(visit, sql => confirmByToken(sql, visit.page.id, hash, visit.nowMs));
    return state === 'active' ? { status: 200, notice: confirmed } : goneNotice;
  });
  add('get', 'unsubscribe', ask('unsubscribe', unsubscribeQuestion, 'Unsubscribe'));
  add('post', 'unsubscribe', async visit => {
    // RFC 8058 sends a form whose only field says that this is one click; the token in the address says who.
    await readBytes(visit.context.req, 16_384);
    const left = await inProject(visit, async sql => {
      const id = await unsubscribeByToken(sql, visit.page.id, hashToken(visit.token), visit.nowMs);
      if (id !== null) await services.stages.left(sql, id, visit.nowMs);
      return id;
    });
    return left === null ? goneNotice : { status: 200, notice: unsubscribed };
  });
}

async function subscribe(
  { context, page, nowMs }: Visit,
  services: PublicServices,
  inProject: <Result>(visit: Visit, work: (sql: Sql) => Promise<Result>) => Promise<Result>,
): Promise<Shown> {
  if (!services.canMail) return noMail;
  const address = callerAddress(context.req, services.trustedProxies);
  await chargeRequest(sqlOf(services.pools.front), `subscribe ${limitKey(address)}`, subscribeLimit);
  const { email, component_ids } = await parseBody(subscribeSchema, await readForm(context.req, ['component_ids']));
  await inProject({ context, page, token: '', nowMs }, async sql => {
    await refuseUnknown(sql, page.projectId, page.id, [{ ids: component_ids, at: '' }]);
    const place = { projectId: page.projectId, statusPageId: page.id, channel: 'email' } as const;
    const entry = { ...place, address: email, componentIds: component_ids, consent: null, byVisitor: true };
    await enterSubscriber(sql, services, entry, nowMs);
  });
  return { status: 202, notice: accepted };
}

async function answer(
  context: Koa.Context,
  services: PublicServices,
  work: (visit: Visit) => Promise<Shown>,
): Promise<void> {
  const { slug = '' } = (context as Koa.Context & { params: Record<string, string> }).params;
  const forPeople = context.accepts('json', 'html') === 'html';
  context.set('Cache-Control', 'no-store');
  context.set('Referrer-Policy', 'no-referrer');
  let page: Page | null = null;
  try {
    const token = String(context.query.token ?? '').slice(0, 200);
    page = await findPage(context, services, slug, token);
    if (page === null) throw new Problem('not_found');
    show(context, page, forPeople, await work({ context, page, token, nowMs: services.clock.now() }));
  } catch (error) {
    if (forPeople && classifyFault(error) === 'away') return show(context, page, forPeople, away);
    if (!forPeople || !(error instanceof Problem)) throw error;
    if (error.details.retryAfter !== undefined) context.set('Retry-After', String(error.details.retryAfter));
    show(context, page, forPeople, { status: error.status, notice: faultNotice(error) });
  }
}

/** Links in mails that were sent work under any slug: the page may have another by now, and its old one another owner. */
async function findPage(
  context: Koa.Context,
  services: PublicServices,
  slug: string,
  token: string,
): Promise<Page | null> {
  const sql = sqlOf(services.pools.front);
  if (token !== '') {
    const address = limitKey(callerAddress(context.req, services.trustedProxies));
    await chargeRequest(sql, `subscription ${address}`, linkLimit);
    const own = await findPageOfToken(sql, hashToken(token));
    if (own !== null) return own;
  }
  // What has not the form of a slug names no page, and could hold what the database refuses.
  return /^[a-z0-9-]{1,63}$/.test(slug) ? findPageBySlug(sql, slug) : null;
}

function show(context: Koa.Context, page: Page | null, forPeople: boolean, { status, notice }: Shown): void {
  if (!forPeople && status >= 400) throw new Problem('not_found', { detail: notice.title });
  context.status = status;
  if (forPeople) {
    context.type = 'text/html; charset=utf-8';
    context.set('Content-Security-Policy', pageSecurityPolicy);
    context.body = renderNotice(page, notice);
  } else {
    context.type = 'application/json';
    context.body = JSON.stringify({ title: notice.title, detail: notice.text });
  }
}

function faultNotice(problem: Problem): Notice {
  const { errors = [] } = problem.details;
  const text = errors.map(error => `${'pointer' in error ? error.pointer.slice(1) : error.parameter} ${error.detail}`);
  return { title: 'That did not work', text: text.join('; ') || problem.message, form: null };
}

/** Without a mail server there is nothing to subscribe to. */
const noMail: Shown = {
  status: 404,
  notice: {
    title: 'No mail can be sent at the moment',
    text: 'Follow the page by RSS or Atom instead: their addresses are at its end.',
    form: null,
  },
};
const away: Shown = {
  status: 503,
  notice: {
    title: 'That is not possible right now',
    text: 'Nothing was changed. Try again in a few minutes.',
    form: null,
  },
};
const accepted: Notice = {
  title: 'Look into your mailbox',
  text: 'If this address is not subscribed yet, a mail is on its way: follow its link to confirm.',
  form: null,
};
const confirmQuestion = {
  title: 'Confirm your subscription',
  text: 'You will get a mail for each update of this page.',
};
const confirmed: Notice = { title: 'You are subscribed', text: 'You will get a mail for each update.', form: null };
const unsubscribeQuestion = { title: 'Unsubscribe', text: 'You will get no more mails of this page.' };
const unsubscribed: Notice = { title: 'You are unsubscribed', text: 'You will get no more mails.', form: null };
const goneNotice: Shown = {
  status: 404,
  notice: { title: 'This link is not valid any more', text: 'Subscribe again on the page.', form: null },
};
