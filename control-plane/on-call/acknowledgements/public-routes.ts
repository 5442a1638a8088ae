import type Router from '@koa/router';
import type Koa from 'koa';
import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import { plainLine } from '../../delivery/transports/text.ts';
import { type Sql, sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type BodyBudget, reserveBodyFor } from '../../platform/http/bodies/body-budget.ts';
import { readBytes } from '../../platform/http/bodies/read-body.ts';
import type { CallerKey } from '../../platform/http/limits/caller-address.ts';
import { chargeRequest } from '../../platform/http/limits/rate-limit.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import type { Notice } from '../../publishing/status-pages/publish/page-model.ts';
import { noticeSecurityPolicy } from '../../publishing/status-pages/render/layout.ts';
import { renderNotice } from '../../publishing/status-pages/render/notice.ts';
import { findGroup } from '../alert-groups/store.ts';
import { confirmAddress, findAddress } from '../channels/addresses/address-store.ts';
import { isExpired, type LinkContent, readLinkToken } from '../channels/addresses/link-token.ts';
import { findChannel } from '../channels/store.ts';
import { acknowledgeGroup } from './acknowledge.ts';
import { listUnresolvedTitles } from './store.ts';

export type LinkServices = {
  keyring: Keyring;
  /** `front` rate-limits callers, `api` is restricted to the link's project. */
  pools: { front: pg.Pool; api: pg.Pool };
  clock: Clock;
  callerKey: CallerKey;
  forms: BodyBudget;
};

type Visit = { sql: Sql; path: string; isPost: boolean; typedName: string; requestId: string; nowMs: number };

const linkLimit = { perMinute: 60, burst: 60 };
const namedMax = 20;
const nameMax = 100;

/** Links in messages. A GET only shows a button: email scanners and chats open every link. */
export function addLinkRoutes(router: Router, services: LinkServices): void {
  router.get('/ack/:token', context => answer(context, services, false));
  router.post('/ack/:token', context => answer(context, services, true));
}

async function answer(context: Koa.Context, services: LinkServices, isPost: boolean): Promise<void> {
  const { keyring, pools, clock, callerKey } = services;
  const { token = '' } = (context as Koa.Context & { params: Record<string, string> }).params;
  const forPeople = context.accepts('html', 'json') === 'html';
  context.set('Cache-Control', 'no-store');
  context.set('Referrer-Policy', 'no-referrer');
  try {
    const caller = callerKey(context.req);
    await chargeRequest(sqlOf(pools.front), `link ${caller}`, linkLimit);
    const typedName = isPost ? await readName(context, services, caller) : '';
    const nowMs = clock.now();
    const content = readLinkToken(token, keyring);
    if (content === null) throw new Problem('not_found');
    if (isExpired(content, nowMs)) throw new Problem('link_expired');
    const path = `/ack/${token}`;
    const { requestId } = context.state;
    const notice = await transaction(
      pools.api,
      sql => follow({ sql, path, isPost, typedName, requestId, nowMs }, content),
      content.project,
    );
    show(context, forPeople, 200, notice);
  } catch (error) {
    if (!forPeople || !(error instanceof Problem)) throw error;
    if (error.details.retryAfter !== undefined) context.set('Retry-After', String(error.details.retryAfter));
    show(context, true, error.status, wordsOf(error));
  }
}

function follow(visit: Visit, content: LinkContent): Promise<Notice> {
  return content.purpose === 'confirm' ? confirm(visit, content) : acknowledgeByLink(visit, content);
}

async function confirm(
  { sql, path, isPost, nowMs }: Visit,
  { project, address }: LinkContent & { purpose: 'confirm' },
): Promise<Notice> {
  const row = await findAddress(sql, project, address);
  if (row === null) throw new Problem('not_found');
  if (isPost) await confirmAddress(sql, project, address, nowMs);
  if (isPost || row.confirmed_at !== null)
    return {
      title: 'The address is confirmed',
      text: 'You’ll receive the alerts that are routed to this address.',
      form: null,
    };
  return {
    title: 'Confirm your address',
    text: 'You’ll receive the alerts that are routed to this address.',
    form: { action: path, button: 'Confirm address' },
  };
}

async function acknowledgeByLink(
  { sql, path, isPost, typedName, requestId, nowMs }: Visit,
  { project: projectId, group: groupId, channel: channelId }: LinkContent & { purpose: 'acknowledge' },
): Promise<Notice> {
  const group = await findGroup(sql, projectId, groupId);
  const channel = await findChannel(sql, projectId, channelId);
  if (group === null || channel === null) throw new Problem('not_found');
  if (group.ended_at !== null) throw new Problem('link_expired');
  if (isPost) {
    const name = typedName === '' ? channel.name : `${channel.name} (says: ${typedName})`;
    await acknowledgeGroup(sql, { projectId, groupId }, { type: 'link', id: channel.id, name }, nowMs, {
      requestId,
    });
  }
  const { titles, count, open } = await listUnresolvedTitles(sql, projectId, groupId, namedMax);
  if (count === 0) throw new Problem('link_expired');
  const more = count > titles.length ? `, and ${count - titles.length} more` : '';
  const text = `${titles.join(', ')}${more}`;
  if (open === 0)
    return { title: count === 1 ? 'The alert is acknowledged' : 'The alerts are acknowledged', text, form: null };
  const title = count === 1 ? 'Acknowledge this alert?' : `Acknowledge ${count} alerts?`;
  return { title, text, form: { action: path, button: 'Acknowledge' } };
}

/** What somebody says of themselves, in a form or as JSON; anything else is no name. */
async function readName(context: Koa.Context, { forms }: LinkServices, address: string): Promise<string> {
  const reserved = reserveBodyFor(context.res, forms, { caller: address, owner: address });
  const text = (await readBytes(context.req, forms.bodyBytesMax, reserved.take)).toString('utf8');
  const name = /json/i.test(context.get('content-type')) ? nameInJson(text) : new URLSearchParams(text).get('name');
  return Array.from(plainLine(name ?? ''))
    .slice(0, nameMax)
    .join('');
}

function nameInJson(text: string): string | null {
  try {
    const { name } = JSON.parse(text) as { name?: unknown };
    return typeof name === 'string' ? name : null;
  } catch {
    return null;
  }
}

function show(context: Koa.Context, forPeople: boolean, status: number, notice: Notice): void {
  context.status = status;
  if (forPeople) {
    context.type = 'text/html; charset=utf-8';
    context.set('Content-Security-Policy', noticeSecurityPolicy);
    context.body = renderNotice(null, notice);
  } else {
    context.type = 'application/json';
    context.body = JSON.stringify({ title: notice.title, detail: notice.text });
  }
}

function wordsOf({ code }: Problem): Notice {
  const form = null;
  if (code === 'link_expired')
    return {
      title: 'This link has expired',
      text: 'The alerts are resolved, or the message is older than 7 days.',
      form,
    };
  if (code === 'rate_limited') return { title: 'Too many requests', text: 'Please try again in a minute.', form };
  if (code === 'not_found') return { title: 'Page not found', text: 'The address may be misspelled.', form };
  return { title: 'Something went wrong', text: 'Please try again.', form };
}
