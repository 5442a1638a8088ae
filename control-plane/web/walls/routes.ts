import { z } from 'zod';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { Problem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import { hashBearer, newBearer } from '../../platform/secrets/bearer.ts';
import { webCounts } from '../quotas/store.ts';
import { deleteWall, findWall, insertWall, listWalls } from './store.ts';
import { auditWall, viewWall, wallPostSchema, wallSchema, wallUrl } from './wall.ts';

const tag = 'Walls';

/** Links for screens: who has one sees the state of monitors, and nothing else. */
export function wallEndpoints({ baseUrl }: { baseUrl: string }): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v0/walls',
      summary: 'List the links for screens, newest first',
      tag,
      scope: 'walls:read',
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(wallSchema) },
      handle: async ({ sql, caller, query }) => {
        const rows = await listWalls(sql, caller.projectId, readPage('walls', query));
        return { status: 200, body: pageOf('walls', query, rows, row => [row.created_at, row.id], viewWall) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/walls',
      summary: 'Create a read-only link for screens; it is shown only once',
      tag,
      scope: 'walls:write',
      secondScope: 'monitors:read',
      body: wallPostSchema,
      answers: { 201: wallSchema },
      audit: ['wall.created'],
      handle: async ({ sql, caller, body, nowMs, record }) => {
        await requireQuota(sql, caller.projectId, webCounts.walls);
        const secret = newBearer('upw');
        const wall = { ...body, projectId: caller.projectId, secretHash: hashBearer(secret) };
        const row = await insertWall(sql, wall, nowMs);
        if (row === null) throw new Error('inserting gave no row');
        await record({ action: 'wall.created', subject: row.id, name: row.name, before: null, after: auditWall(row) });
        const headers = { Location: `/v0/walls/${row.id}` };
        return { status: 201, body: { ...viewWall(row), url: wallUrl(baseUrl, secret) }, headers };
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/walls/{id}',
      summary: 'Get a wallboard link, without its URL',
      tag,
      scope: 'walls:read',
      params: z.object({ id: z.string().max(40) }),
      answers: { 200: wallSchema },
      handle: async ({ sql, caller, params }) => {
        const row = await findWall(sql, caller.projectId, params.id);
        if (row === null) throw new Problem('not_found');
        return { status: 200, body: viewWall(row) };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v0/walls/{id}',
      summary: 'Delete a wallboard link; its screens go blank within seconds',
      tag,
      scope: 'walls:write',
      params: z.object({ id: z.string().max(40) }),
      answers: { 204: null },
      audit: ['wall.deleted'],
      handle: async ({ sql, caller, params, record }) => {
        const row = await deleteWall(sql, caller.projectId, params.id);
        if (row === null) throw new Problem('not_found');
        await record({ action: 'wall.deleted', subject: row.id, name: row.name, before: auditWall(row), after: null });
        return { status: 204 };
      },
    }),
  ];
}
