import type { IncomingHttpHeaders } from 'node:http';
import type Router from '@koa/router';
import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import { sqlOf } from '../../../platform/db/sql.ts';
import type { Caller } from '../../../platform/http/endpoint/caller.ts';
import { requirePerson } from '../../../platform/http/endpoint/require-allowed.ts';
import { chargeRequest } from '../../../platform/http/limits/rate-limit.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { findPageOfMember } from '../access/store.ts';
import { pageUrl } from '../hosts/own-address.ts';
import { sealTicket } from './ticket.ts';

export type TicketServices = {
  pools: { front: pg.Pool };
  keyring: Keyring;
  clock: Clock;
  baseUrl: string;
  /** Who is signed in. */
  authenticate(headers: IncomingHttpHeaders, where: 'anywhere'): Promise<Caller>;
};

const ticketLimit = { perMinute: 60, burst: 60 };

/** Gives members what opens a page for them. Whether the page exists is nobody else's: one answer for all. */
export function addTicketRoutes(router: Router, services: TicketServices): void {
  const { pools, keyring, clock, baseUrl, authenticate } = services;
  router.post('/auth/pages/:id/ticket', async context => {
    const caller = await authenticate(context.headers, 'anywhere');
    requirePerson(caller);
    const { actor } = caller;
    const sql = sqlOf(pools.front);
    await chargeRequest(sql, `page ticket ${actor.id}`, ticketLimit);
    const { id = '' } = context.params as Record<string, string>;
    const page = /^sp_[a-z0-9]{1,40}$/.test(id) ? await findPageOfMember(sql, id, actor.id) : null;
    if (page === null) throw new Problem('not_a_member');
    const url = pageUrl(baseUrl, page);
    const ticket = { page: id, version: page.version, host: new URL(url).host, person: actor.id, at: clock.now() };
    context.set('Cache-Control', 'no-store');
    context.type = 'application/json';
    context.body = JSON.stringify({ url: `${url}/access?ticket=${sealTicket(ticket, keyring)}` });
  });
}
