import { z } from 'zod';
import { unknownComponents } from '../components/store.ts';
import type { Sql } from '../db/sql.ts';
import { type Caller, type Endpoint, endpoint } from '../http/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../http/pagination.ts';
import { type FieldError, Problem } from '../http/problem.ts';
import { findPage } from '../status-pages/store.ts';
import { enterSubscriber, importSubscribers, type SubscriberServices } from './enter.ts';
import { deleteSubscriber, findSubscriber, listSubscribers, viewSubscriber } from './store.ts';
import { importSchema, subscriberPostSchema, subscriberSchema } from './subscriber.ts';

const params = z.object({ id: z.string().max(40) });
const path = '/v0/status-pages/{id}/subscribers';
const tag = 'Subscribers';

type Place = { sql: Sql; caller: Caller; params: { id: string } };

export function subscriberEndpoints(services: SubscriberServices): readonly Endpoint[] {
  const { keyring } = services;
  return [
    endpoint({
      method: 'get',
      path,
      summary: 'List subscribers of a page, newest first',
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
      summary: 'Enter an e-mail address or a webhook; without consent the address is asked by mail',
      tag,
      scope: 'subscribers:write',
      params,
      body: subscriberPostSchema,
      answers: { 201: subscriberSchema, 200: subscriberSchema },
      handle: async request => {
        const { sql, caller, body, nowMs } = request;
        const statusPageId = await requirePage(request);
        await refuseUnknown(sql, caller.projectId, statusPageId, [{ ids: body.component_ids, at: '' }]);
        const { channel, consent, component_ids: componentIds } = body;
        const place = { projectId: caller.projectId, statusPageId, channel, consent, componentIds };
        const entry = { ...place, address: body.email ?? body.url ?? '', byVisitor: false };
        const entered = await enterSubscriber(sql, services, entry, nowMs);
        const row = await findSubscriber(sql, entered.id);
        if (row === null) throw new Problem('not_found');
        const secret = entered.secret === null ? {} : { secret: entered.secret };
        return { status: entered.isNew ? 201 : 200, body: { ...viewSubscriber(row, keyring), ...secret } };
      },
    }),
    endpoint({
      method: 'post',
      path: `${path}/import`,
      summary: 'Enter up to 1000 addresses whose owners agreed; those that are known stay as they are',
      tag,
      scope: 'subscribers:write',
      params,
      body: importSchema,
      answers: { 200: z.object({ added: z.int(), existing: z.int() }) },
      handle: async request => {
        const { sql, caller, body, nowMs } = request;
        const statusPageId = await requirePage(request);
        const named = body.subscribers.map((one, place) => ({ ids: one.component_ids, at: `/subscribers/${place}` }));
        await refuseUnknown(sql, caller.projectId, statusPageId, named);
        const place = { projectId: caller.projectId, statusPageId };
        const added = await importSubscribers(sql, services, place, body, nowMs);
        return { status: 200, body: { added, existing: body.subscribers.length - added } };
      },
    }),
    endpoint({
      method: 'delete',
      path: `${path}/{subscriber_id}`,
      summary: 'Delete a subscriber and its address',
      tag,
      scope: 'subscribers:write',
      params: z.object({ id: z.string().max(40), subscriber_id: z.string().max(40) }),
      answers: { 204: null },
      handle: async request => {
        const { sql, params, nowMs } = request;
        const statusPageId = await requirePage(request);
        if (!(await deleteSubscriber(sql, statusPageId, params.subscriber_id))) throw new Problem('not_found');
        await services.stages.left(sql, params.subscriber_id, nowMs);
        return { status: 204 };
      },
    }),
  ];
}

async function requirePage({ sql, caller, params }: Place): Promise<string> {
  const page = await findPage(sql, caller.projectId, params.id);
  if (page === null) throw new Problem('not_found');
  return page.id;
}

/** Throws a fault for each component that is not one of the page; `at` is the place of the list in the body. */
export async function refuseUnknown(
  sql: Sql,
  projectId: string,
  statusPageId: string,
  named: readonly { ids: readonly string[]; at: string }[],
): Promise<void> {
  const all = [...new Set(named.flatMap(({ ids }) => ids))];
  const unknown = new Set(await unknownComponents(sql, projectId, all, statusPageId));
  const errors = named.flatMap(({ ids, at }) =>
    ids.flatMap((id, place): FieldError[] => {
      const pointer = `${at}/component_ids/${place}`;
      return unknown.has(id) ? [{ pointer, code: 'unknown_reference', detail: 'is not a component of this page' }] : [];
    }),
  );
  if (errors.length > 0) throw new Problem('validation_failed', { errors });
}
