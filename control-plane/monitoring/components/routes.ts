import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { type Answer, type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { Problem } from '../../platform/http/problem.ts';
import { changeComponent } from './change.ts';
import { componentOrderSchema, componentPatchSchema, componentPostSchema, componentSchema } from './component.ts';
import { createComponent } from './create.ts';
import { orderComponents } from './order.ts';
import type { ComponentPages } from './pages.ts';
import { removeComponent } from './remove.ts';
import { type ComponentRow, findComponent, listComponents, viewComponent } from './store.ts';
import { validateMonitorIds } from './validate.ts';

const params = z.object({ id: z.string().max(40) });
const tag = 'Components';

/** The components of status pages. */
export const componentEndpoints = (pages: ComponentPages): readonly Endpoint[] => [
  endpoint({
    method: 'get',
    path: '/v0/components',
    summary: 'List components, newest first',
    tag,
    scope: 'components:read',
    query: z.strictObject({ ...pageParameters, status_page_id: z.string().max(40).optional() }),
    answers: { 200: listOf(componentSchema) },
    handle: async ({ sql, caller, query }) => {
      const page = readPage('components', query);
      const rows = await listComponents(sql, caller.projectId, query.status_page_id ?? null, page);
      const impacts = await pages.listOpenImpacts(sql, rows);
      const view = (row: ComponentRow) => viewComponent(row, impacts.get(row.id) ?? []);
      return { status: 200, body: pageOf('components', query, rows, row => [row.created_at, row.id], view) };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/components',
    summary: 'Create a component of a status page',
    tag,
    scope: 'components:write',
    body: componentPostSchema,
    check: (fields, { sql, caller }) => validateMonitorIds(sql, caller.projectId, fields.monitor_ids),
    answers: { 201: componentSchema },
    audit: ['component.created'],
    handle: async ({ sql, caller, body, nowMs, record }) => {
      const created = await createComponent(sql, pages, caller.projectId, body, nowMs);
      await record(created);
      return show(sql, pages, caller, created.subject, 201);
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/components/order',
    operation: 'orderComponents',
    summary: 'Reorder and regroup all components of a status page',
    tag,
    scope: 'components:write',
    body: componentOrderSchema,
    answers: { 204: null },
    audit: ['component.ordered'],
    handle: async ({ sql, caller, body, nowMs, record }) => {
      await record(await orderComponents(sql, caller.projectId, body, nowMs));
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/components/{id}',
    summary: 'Get a component with the status shown on the page',
    tag,
    scope: 'components:read',
    params,
    answers: { 200: componentSchema },
    handle: ({ sql, caller, params }) => show(sql, pages, caller, params.id),
  }),
  endpoint({
    method: 'patch',
    path: '/v0/components/{id}',
    summary: 'Update a component; `monitor_ids` is replaced, not merged',
    tag,
    scope: 'components:write',
    params,
    body: componentPatchSchema,
    check: (fields, { sql, caller }) => validateMonitorIds(sql, caller.projectId, fields.monitor_ids),
    answers: { 200: componentSchema },
    ifMatch: true,
    audit: ['component.updated'],
    handle: async ({ sql, caller, params, body, nowMs, expectedUpdate, record }) => {
      const target = { projectId: caller.projectId, id: params.id, expectedUpdate };
      const change = await changeComponent(sql, target, body, nowMs);
      if (change !== null) await record(change);
      return show(sql, pages, caller, params.id);
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v0/components/{id}',
    summary: 'Delete a component that no open incident affects',
    tag,
    scope: 'components:write',
    params,
    answers: { 204: null },
    ifMatch: true,
    audit: ['component.deleted'],
    handle: async ({ sql, caller, params, nowMs, expectedUpdate, record }) => {
      const target = { projectId: caller.projectId, id: params.id, expectedUpdate };
      await record(await removeComponent(sql, pages, target, nowMs));
      return { status: 204 };
    },
  }),
];

async function show(sql: Sql, pages: ComponentPages, caller: Caller, id: string, status = 200): Promise<Answer> {
  const row = await findComponent(sql, caller.projectId, id);
  if (row === null) throw new Problem('not_found');
  const headers: Record<string, string> = status === 201 ? { Location: `/v0/components/${id}` } : {};
  const impacts = await pages.listOpenImpacts(sql, [row]);
  return { status, body: viewComponent(row, impacts.get(id) ?? []), headers };
}
