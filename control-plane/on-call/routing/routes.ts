import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import { refuseRepeats } from '../../platform/http/bodies/validate.ts';
import { type Answer, type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { hasChanges } from '../../platform/http/endpoint/has-changes.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { type FieldError, fieldProblem, Problem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import { onCallCounts } from '../quotas/store.ts';
import { askedSchema, previewRoutes, routePreviewSchema } from './preview-routes.ts';
import { type RoutePost, routePatchSchema, routePostSchema, routeSchema } from './route.ts';
import {
  deleteRoute,
  findRoute,
  insertRoute,
  isNameTaken,
  listRoutes,
  lockRoutes,
  orderRoutes,
  unknownChannels,
  updateRoute,
  viewRoute,
} from './store.ts';

const params = z.object({ id: z.string().max(40) });
const tag = 'Routes';

/** Who is notified of which alerts, and when. */
export const routeEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/routes',
    summary: 'List routes in the order in which alerts are matched against them',
    tag,
    scope: 'routes:read',
    query: z.strictObject(pageParameters),
    answers: { 200: listOf(routeSchema) },
    handle: async ({ sql, caller, query }) => {
      const { after, limit } = readPage('routes', query);
      const rows = (await listRoutes(sql, caller.projectId)).filter(
        row => after === null || row.position > after[0] || (row.position === after[0] && row.id > after[1]),
      );
      const shown = rows.slice(0, limit + 1);
      return { status: 200, body: pageOf('routes', query, shown, row => [row.position, row.id], viewRoute) };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/routes',
    summary: 'Create a route at the end of the list',
    tag,
    scope: 'routes:write',
    body: routePostSchema,
    check: (fields, { sql, caller }) => channelErrors(sql, caller.projectId, fields.steps),
    answers: { 201: routeSchema },
    audit: ['route.created'],
    handle: async ({ sql, caller, body, nowMs, record }) => {
      await requireQuota(sql, caller.projectId, onCallCounts.routes);
      await lockRoutes(sql, caller.projectId);
      const id = await insertRoute(sql, caller.projectId, body, nowMs);
      if (id === null) throw new Problem('name_taken');
      const after = await look(sql, caller.projectId, id);
      await record({ action: 'route.created', subject: id, name: body.name, before: null, after });
      return { ...(await show(sql, caller.projectId, id)), status: 201, headers: { Location: `/v0/routes/${id}` } };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/routes/order',
    summary: 'Reorder all routes',
    tag,
    scope: 'routes:write',
    body: z.object({ ids: z.array(z.string().max(40)).max(1000).superRefine(refuseRepeats) }),
    answers: { 200: z.object({ data: z.array(routeSchema) }) },
    audit: ['route.ordered'],
    handle: async ({ sql, caller, body, nowMs, record }) => {
      await lockRoutes(sql, caller.projectId);
      const present = await listRoutes(sql, caller.projectId);
      const known = new Set(present.map(route => route.id));
      const wrong = body.ids.findIndex(id => !known.has(id));
      if (wrong >= 0) throw fieldProblem(`/ids/${wrong}`, 'unknown_reference', 'is not a route');
      if (body.ids.length !== present.length)
        throw fieldProblem('/ids', 'required', `must name all ${present.length} routes of the project`);
      await orderRoutes(sql, caller.projectId, body.ids, nowMs);
      const data = (await listRoutes(sql, caller.projectId)).map(viewRoute);
      const [before, after] = [{ ids: present.map(route => route.id) }, { ids: body.ids }];
      await record({ action: 'route.ordered', subject: caller.projectId, name: null, before, after });
      return { status: 200, body: { data } };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/routes/match',
    summary: 'Preview which routes an alert would follow, and whom they would notify when',
    tag,
    scope: 'routes:write',
    body: askedSchema,
    answers: { 200: routePreviewSchema },
    changesNothing: () => true,
    handle: async ({ sql, caller, body, nowMs }) => ({
      status: 200,
      body: await previewRoutes(sql, caller.projectId, { ...body, at: body.at ?? nowMs }),
    }),
  }),
  endpoint({
    method: 'get',
    path: '/v0/routes/{id}',
    summary: 'Get a route',
    tag,
    scope: 'routes:read',
    params,
    answers: { 200: routeSchema },
    handle: ({ sql, caller, params }) => show(sql, caller.projectId, params.id),
  }),
  endpoint({
    method: 'patch',
    path: '/v0/routes/{id}',
    summary: 'Update a route; `match`, `steps` and `quiet_hours` are replaced, not merged',
    tag,
    scope: 'routes:write',
    params,
    body: routePatchSchema,
    check: (fields, { sql, caller }) => channelErrors(sql, caller.projectId, fields.steps),
    answers: { 200: routeSchema },
    ifMatch: true,
    audit: ['route.updated'],
    handle: async ({ sql, caller, params, body, nowMs, expectedUpdate, record }) => {
      await lockRoutes(sql, caller.projectId);
      const row = await findRoute(sql, caller.projectId, params.id);
      if (row === null) throw new Problem('not_found');
      requireUnchanged(expectedUpdate, row.updated_at);
      if (!hasChanges(body, viewRoute(row))) return show(sql, caller.projectId, row.id);
      if (body.name !== undefined && (await isNameTaken(sql, caller.projectId, body.name, row.id)))
        throw new Problem('name_taken');
      await updateRoute(sql, caller.projectId, row.id, body, nowMs);
      const after = await look(sql, caller.projectId, row.id);
      const change = { subject: row.id, name: after.name, before: viewRoute(row), after };
      await record({ action: 'route.updated', ...change });
      return show(sql, caller.projectId, row.id);
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v0/routes/{id}',
    summary: 'Delete a route; channels it has notified are still notified of resolutions',
    tag,
    scope: 'routes:write',
    params,
    answers: { 204: null },
    ifMatch: true,
    audit: ['route.deleted'],
    handle: async ({ sql, caller, params, expectedUpdate, record }) => {
      await lockRoutes(sql, caller.projectId);
      const row = await findRoute(sql, caller.projectId, params.id);
      if (row === null) throw new Problem('not_found');
      requireUnchanged(expectedUpdate, row.updated_at);
      const { id, name } = row;
      await record({ action: 'route.deleted', subject: id, name, before: viewRoute(row), after: null });
      await deleteRoute(sql, caller.projectId, id);
      return { status: 204 };
    },
  }),
];

async function show(sql: Sql, projectId: string, id: string): Promise<Answer> {
  return { status: 200, body: await look(sql, projectId, id) };
}

async function look(sql: Sql, projectId: string, id: string) {
  const row = await findRoute(sql, projectId, id);
  if (row === null) throw new Problem('not_found');
  return viewRoute(row);
}

/** An error for each channel that is not the project's. */
async function channelErrors(sql: Sql, projectId: string, steps: RoutePost['steps'] = []): Promise<FieldError[]> {
  const unknown = new Set(await unknownChannels(sql, projectId, [...new Set(steps.flatMap(step => step.channel_ids))]));
  return steps.flatMap((step, index) =>
    step.channel_ids.flatMap((id, position): FieldError[] =>
      unknown.has(id)
        ? [
            {
              pointer: `/steps/${index}/channel_ids/${position}`,
              code: 'unknown_reference',
              detail: 'is not a channel',
            },
          ]
        : [],
    ),
  );
}
