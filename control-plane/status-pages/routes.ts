import { z } from 'zod';
import { isUniqueViolation } from '../db/errors.ts';
import type { Sql } from '../db/sql.ts';
import { type Answer, type Caller, type Endpoint, endpoint } from '../http/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../http/pagination.ts';
import { fieldProblem, Problem } from '../http/problem.ts';
import { publishPage } from './publish.ts';
import { slugOf, statusPagePatchSchema, statusPagePostSchema, statusPageSchema } from './status-page.ts';
import {
  findStatusPage,
  insertStatusPage,
  isInUse,
  listStatusPages,
  lockStatusPage,
  markStatusPageDeleted,
  updateStatusPage,
  viewStatusPage,
} from './store.ts';

export const statusPageParams = z.object({ id: z.string().max(40) });
const tag = 'Status pages';

/** `baseUrl` is where the public reaches the pages. */
export function statusPageEndpoints({ baseUrl }: { baseUrl: string }): readonly Endpoint[] {
  const show = async (sql: Sql, caller: Caller, id: string, status = 200): Promise<Answer> => {
    const row = await findStatusPage(sql, caller.projectId, id);
    if (row === null) throw new Problem('not_found');
    const headers: Record<string, string> = status === 201 ? { Location: `/v0/status-pages/${id}` } : {};
    return { status, body: viewStatusPage(row, baseUrl), headers };
  };
  return [
    endpoint({
      method: 'get',
      path: '/v0/status-pages',
      summary: 'List status pages, newest first',
      tag,
      scope: 'status-pages:read',
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(statusPageSchema) },
      handle: async ({ sql, caller, query }) => {
        const rows = await listStatusPages(sql, caller.projectId, readPage('status-pages', query));
        const view = (row: (typeof rows)[number]) => viewStatusPage(row, baseUrl);
        return { status: 200, body: pageOf('status-pages', query, rows, row => [row.created_at, row.id], view) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/status-pages',
      summary: 'Make a status page; it can be visited at once',
      tag,
      scope: 'status-pages:write',
      body: statusPagePostSchema,
      answers: { 201: statusPageSchema },
      handle: async ({ sql, caller, body, nowMs }) => {
        const slug = body.slug ?? slugOf(body.name);
        if (slug === null) throw fieldProblem('/slug', 'required', 'is required: none can be made from the name');
        const id = await insertStatusPage(sql, caller.projectId, { ...body, slug }, nowMs);
        if (id === null) throw new Problem('slug_taken');
        await publishPage(sql, id, baseUrl, nowMs);
        return show(sql, caller, id, 201);
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/status-pages/{id}',
      summary: 'One status page',
      tag,
      scope: 'status-pages:read',
      params: statusPageParams,
      answers: { 200: statusPageSchema },
      handle: ({ sql, caller, params }) => show(sql, caller, params.id),
    }),
    endpoint({
      method: 'patch',
      path: '/v0/status-pages/{id}',
      summary: 'Change some fields; another slug is another address',
      tag,
      scope: 'status-pages:write',
      params: statusPageParams,
      body: statusPagePatchSchema,
      answers: { 200: statusPageSchema },
      handle: async ({ sql, caller, params, body, nowMs }) => {
        const changed = await updateStatusPage(sql, caller.projectId, params.id, body, nowMs).catch(error => {
          throw isUniqueViolation(error, 'status_pages_slug') ? new Problem('slug_taken') : error;
        });
        if (!changed) throw new Problem('not_found');
        await publishPage(sql, params.id, baseUrl, nowMs);
        return show(sql, caller, params.id);
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v0/status-pages/{id}',
      summary: 'Delete a status page that has no components and no open incident',
      tag,
      scope: 'status-pages:write',
      params: statusPageParams,
      answers: { 204: null },
      handle: async ({ sql, caller, params, nowMs }) => {
        if ((await lockStatusPage(sql, caller.projectId, params.id)) === null) throw new Problem('not_found');
        if (await isInUse(sql, params.id)) throw new Problem('status_page_in_use');
        await markStatusPageDeleted(sql, params.id, nowMs);
        await publishPage(sql, params.id, baseUrl, nowMs);
        return { status: 204 };
      },
    }),
  ];
}
