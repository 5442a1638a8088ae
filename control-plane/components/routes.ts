import { z } from 'zod';
import type { Sql } from '../db/sql.ts';
import { appendFact } from '../facts/store.ts';
import { type Answer, type Caller, type Endpoint, endpoint } from '../http/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../http/pagination.ts';
import { type FieldError, fieldProblem, Problem } from '../http/problem.ts';
import { replaceMonitorsOf } from './binding-store.ts';
import { componentPatchSchema, componentPostSchema, componentSchema } from './component.ts';
import {
  countComponents,
  findComponent,
  insertComponent,
  isNamedByOpenIncident,
  listComponents,
  lockComponent,
  markComponentDeleted,
  unknownMonitors,
  updateComponent,
  viewComponent,
} from './store.ts';

const params = z.object({ id: z.string().max(40) });
const tag = 'Components';
/** Each is drawn with all its days whenever the page changes. */
const componentsMax = 300;

export const componentEndpoints: readonly Endpoint[] = [
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
      return { status: 200, body: pageOf('components', query, rows, row => [row.created_at, row.id], viewComponent) };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/components',
    summary: 'Make a component of a status page',
    tag,
    scope: 'components:write',
    body: componentPostSchema,
    alsoCheck: (valid, { sql, caller }) => monitorFaults(sql, caller, valid.monitor_ids),
    answers: { 201: componentSchema },
    handle: async ({ sql, caller, body, nowMs }) => {
      await refuseUnknownMonitors(sql, caller, body.monitor_ids);
      if ((await countComponents(sql, body.status_page_id)) >= componentsMax)
        throw fieldProblem(
          '/status_page_id',
          'out_of_range',
          `has ${componentsMax} components already, more than that nobody reads`,
        );
      const id = await insertComponent(sql, caller.projectId, body, nowMs);
      if (id === null) throw fieldProblem('/status_page_id', 'unknown_reference', 'is not a status page');
      await replaceMonitorsOf(sql, caller.projectId, id, body.monitor_ids);
      await tellChanged(sql, caller, id, body.status_page_id, nowMs);
      return show(sql, caller, id, 201);
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/components/{id}',
    summary: 'One component with the status that is shown',
    tag,
    scope: 'components:read',
    params,
    answers: { 200: componentSchema },
    handle: ({ sql, caller, params }) => show(sql, caller, params.id),
  }),
  endpoint({
    method: 'patch',
    path: '/v0/components/{id}',
    summary: 'Change some fields; `monitor_ids` is replaced as a whole',
    tag,
    scope: 'components:write',
    params,
    body: componentPatchSchema,
    alsoCheck: (valid, { sql, caller }) => monitorFaults(sql, caller, valid.monitor_ids),
    answers: { 200: componentSchema },
    handle: async ({ sql, caller, params, body, nowMs }) => {
      await refuseUnknownMonitors(sql, caller, body.monitor_ids);
      const statusPageId = await updateComponent(sql, caller.projectId, params.id, body, nowMs);
      if (statusPageId === null) throw new Problem('not_found');
      if (body.monitor_ids !== undefined) await replaceMonitorsOf(sql, caller.projectId, params.id, body.monitor_ids);
      await tellChanged(sql, caller, params.id, statusPageId, nowMs);
      return show(sql, caller, params.id);
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v0/components/{id}',
    summary: 'Delete a component that no open incident names',
    tag,
    scope: 'components:write',
    params,
    answers: { 204: null },
    handle: async ({ sql, caller, params, nowMs }) => {
      const locked = await lockComponent(sql, caller.projectId, params.id);
      if (locked === null) throw new Problem('not_found');
      if (await isNamedByOpenIncident(sql, locked.status_page_id, params.id)) throw new Problem('component_in_use');
      await markComponentDeleted(sql, params.id, nowMs);
      await tellChanged(sql, caller, params.id, locked.status_page_id, nowMs);
      return { status: 204 };
    },
  }),
];

async function show(sql: Sql, caller: Caller, id: string, status = 200): Promise<Answer> {
  const row = await findComponent(sql, caller.projectId, id);
  if (row === null) throw new Problem('not_found');
  const headers: Record<string, string> = status === 201 ? { Location: `/v0/components/${id}` } : {};
  return { status, body: viewComponent(row), headers };
}

async function refuseUnknownMonitors(sql: Sql, caller: Caller, ids: readonly string[] | undefined): Promise<void> {
  const errors = await monitorFaults(sql, caller, ids);
  if (errors.length > 0) throw new Problem('validation_failed', { errors });
}

async function monitorFaults(sql: Sql, caller: Caller, ids: unknown): Promise<FieldError[]> {
  if (!Array.isArray(ids) || ids.length === 0) return [];
  const unknown = await unknownMonitors(sql, caller.projectId, ids as string[]);
  return unknown.map(id => ({
    pointer: `/monitor_ids/${ids.indexOf(id)}`,
    code: 'unknown_reference',
    detail: 'is not a monitor',
  }));
}

function tellChanged(sql: Sql, caller: Caller, id: string, statusPageId: string, nowMs: number): Promise<void> {
  const payload = { status_page_id: statusPageId };
  return appendFact(sql, { kind: 'component.changed', projectId: caller.projectId, subject: id, payload }, nowMs);
}
