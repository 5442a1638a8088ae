import { z } from 'zod';
import { sealed } from '../../platform/audit/sealed.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';
import { findPage } from '../status-pages/store.ts';
import { auditSubscriber } from './audit.ts';
import { importSubscribers } from './import.ts';
import { deleteSubscriber, findSubscriber, listSubscribers, lockSubscriber } from './store.ts';
import { type SubscriberServices, subscribeAddress } from './subscribe.ts';
import { importSchema, subscriberPostSchema, subscriberSchema } from './subscriber.ts';
import { type ComponentList, validateComponents } from './validate.ts';
import { viewSubscriber } from './view.ts';

const params = z.object({ id: z.string().max(40) });
const path = '/v0/status-pages/{id}/subscribers';
const tag = 'Subscribers';

type PageRequest = { sql: Sql; caller: Caller; params: { id: string } };

export function subscriberEndpoints(services: SubscriberServices): readonly Endpoint[] {
  const { keyring } = services;
  return [
    endpoint({
      method: 'get',
      path,
      summary: 'List the subscribers of a status page, newest first',
      tag,
      scope: 'subscribers:read',
      params,
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(subscriberSchema) },
      handle: async request => {
        const statusPageId = await requirePage(request);
        const list = `subscribers ${statusPageId}`;
        const rows = await listSubscribers(request.sql, statusPageId, readPage(list, request.query));
        const view = (row: (typeof rows)[number]) => viewSubscriber(row, keyring);
        return { status: 200, body: pageOf(list, request.query, rows, row => [row.created_at, row.id], view) };
      },
    }),
    endpoint({
      method: 'post',
      path,
      summary: 'Add a subscriber; an email address without consent is sent a confirmation email',
      tag,
      scope: 'subscribers:write',
      params,
      body: subscriberPostSchema,
      check: ({ component_ids: ids = [] }, request) => validateForPage(request, [{ ids, pointer: '' }]),
      answers: { 201: subscriberSchema, 200: subscriberSchema },
      audit: ['subscriber.created', 'subscriber.updated'],
      handle: async request => {
        const { sql, caller, body, nowMs } = request;
        const statusPageId = await requirePage(request);
        const { channel, consent, component_ids: componentIds } = body;
        const subscription = { projectId: caller.projectId, statusPageId, channel, consent, componentIds };
        const entry = { ...subscription, address: body.email ?? body.url ?? '', byVisitor: false };
        const entered = await subscribeAddress(sql, services, entry, nowMs);
        const row = await findSubscriber(sql, entered.id);
        if (row === null) throw new Problem('not_found');
        const before = entered.before === null ? null : auditSubscriber(entered.before, keyring);
        const action = before === null ? 'subscriber.created' : 'subscriber.updated';
        await request.record({ action, subject: row.id, name: null, before, after: auditSubscriber(row, keyring) });
        const secret = entered.secret === null ? {} : { secret: entered.secret };
        return { status: before === null ? 201 : 200, body: { ...viewSubscriber(row, keyring), ...secret } };
      },
    }),
    endpoint({
      method: 'post',
      path: `${path}/import`,
      operation: 'importSubscribers',
      summary:
        'Import up to 1000 email addresses with consent, where the operator allows it; existing ones are not changed',
      tag,
      scope: 'subscribers:write',
      params,
      body: importSchema,
      check: ({ subscribers = [] }, request) => {
        const lists = subscribers.map(({ component_ids: ids }, index) => ({ ids, pointer: `/subscribers/${index}` }));
        return validateForPage(request, lists);
      },
      answers: { 200: z.object({ added: z.int(), existing: z.int() }) },
      audit: ['subscriber.imported'],
      handle: async request => {
        const { sql, caller, body, nowMs } = request;
        const statusPageId = await requirePage(request);
        const page = { projectId: caller.projectId, statusPageId };
        const added = await importSubscribers(sql, services, page, body, nowMs);
        const after = { added, consent: sealed(body.consent) };
        const imported = { action: 'subscriber.imported', subject: statusPageId, name: null } as const;
        if (added > 0) await request.record({ ...imported, before: null, after });
        return { status: 200, body: { added, existing: body.subscribers.length - added } };
      },
    }),
    endpoint({
      method: 'delete',
      path: `${path}/{subscriber_id}`,
      summary: 'Delete a subscriber, including the address',
      tag,
      scope: 'subscribers:write',
      params: z.object({ id: z.string().max(40), subscriber_id: z.string().max(40) }),
      answers: { 204: null },
      audit: ['subscriber.deleted'],
      handle: async request => {
        const { sql, params, nowMs } = request;
        const statusPageId = await requirePage(request);
        const row = await lockSubscriber(sql, statusPageId, params.subscriber_id);
        if (row === null) throw new Problem('not_found');
        const before = auditSubscriber(row, keyring);
        await request.record({ action: 'subscriber.deleted', subject: row.id, name: null, before, after: null });
        await deleteSubscriber(sql, statusPageId, row.id);
        await services.hooks.left(sql, params.subscriber_id, nowMs);
        return { status: 204 };
      },
    }),
  ];
}

async function requirePage({ sql, caller, params }: PageRequest): Promise<string> {
  const page = await findPage(sql, caller.projectId, params.id);
  if (page === null) throw new Problem('not_found');
  return page.id;
}

/** No errors for a page that does not exist: the handler answers 404. */
async function validateForPage(
  { sql, caller, params }: PageRequest,
  lists: readonly ComponentList[],
): Promise<FieldError[]> {
  const page = await findPage(sql, caller.projectId, params.id);
  if (page === null) return [];
  return validateComponents(sql, { projectId: caller.projectId, statusPageId: page.id }, lists);
}
