import { z } from 'zod';
import type { HashSecret } from '../../platform/audit/sealed.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { Problem } from '../../platform/http/problem.ts';
import { limits } from '../events/event.ts';
import { erasureSchema, viewErasure } from './erasure.ts';
import { requestErasure } from './request.ts';
import { findErasure, listErasures } from './store.ts';

/** Erasures of users. `hash`: what names a user afterwards. */
export function erasureEndpoints(hash: HashSecret): readonly Endpoint[] {
  return [request(hash), list, read];
}

const request = (hash: HashSecret) =>
  endpoint({
    method: 'delete',
    path: '/v0/users/{external_id}',
    summary: 'Erase a user: delete their events, and count what they are in again',
    operation: 'eraseUser',
    tag: 'Events',
    scope: 'users:write',
    audit: ['event.user_erased'],
    params: z.object({ external_id: z.string().min(1).max(limits.idLength) }),
    answers: { 202: erasureSchema },
    handle: async ({ sql, caller: { projectId }, params: { external_id: externalId }, nowMs, record }) => {
      const { erasure, isNew } = await requestErasure(sql, hash, { projectId, externalId }, nowMs);
      const asked = { before: { erasure_id: null }, after: { erasure_id: erasure.id } };
      // The user is in the audit as a keyed hash only.
      const change = { subject: erasure.user_hash, name: null, ...asked };
      if (isNew) await record({ action: 'event.user_erased', ...change });
      return { status: 202, body: viewErasure(erasure) };
    },
  });

const list = endpoint({
  method: 'get',
  path: '/v0/erasures',
  summary: 'List erasures of users, the newest first',
  tag: 'Events',
  scope: 'users:read',
  query: z.strictObject(pageParameters),
  answers: { 200: listOf(erasureSchema) },
  handle: async ({ sql, caller, query }) => {
    const page = readPage('erasures', query);
    const rows = await listErasures(sql, caller.projectId, page);
    return { status: 200, body: pageOf('erasures', query, rows, row => [row.requested_at, row.id], viewErasure) };
  },
});

const read = endpoint({
  method: 'get',
  path: '/v0/erasures/{id}',
  summary: 'Get the erasure of a user',
  tag: 'Events',
  scope: 'users:read',
  params: z.object({ id: z.string() }),
  answers: { 200: erasureSchema },
  handle: async ({ sql, caller, params }) => {
    const erasure = await findErasure(sql, caller.projectId, params.id);
    if (erasure === null) throw new Problem('not_found');
    return { status: 200, body: viewErasure(erasure) };
  },
});
