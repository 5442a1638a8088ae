import { z } from 'zod';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findProject } from '../../platform/projects/store.ts';
import { changeFlow, createFlow } from './change-flow.ts';
import { flowPatchSchema, flowPostSchema, flowSchema } from './flow.ts';
import { prefersSvg } from './report/prefers-svg.ts';
import { readReport } from './report/report.ts';
import { reportQuerySchema, reportSchema } from './report/schema.ts';
import { drawFunnel } from './report/svg.ts';
import { deleteFlow, type FlowRow, findFlow, findVersion, listFlows, lockFlow, viewFlow } from './store.ts';

const params = z.object({ id: z.string().max(40) });

export const flowEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/flows',
    summary: 'List flows, newest first',
    tag: 'Flows',
    scope: 'flows:read',
    query: z.strictObject(pageParameters),
    answers: { 200: listOf(flowSchema) },
    handle: async ({ sql, caller, query }) => {
      const rows = await listFlows(sql, caller.projectId, readPage('flows', query));
      return { status: 200, body: pageOf('flows', query, rows, row => [row.created_at, row.id], viewFlow) };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/flows',
    summary: 'Create a flow; its funnel is computed from all stored events',
    tag: 'Flows',
    scope: 'flows:write',
    body: flowPostSchema,
    answers: { 201: flowSchema },
    audit: ['flow.created'],
    handle: async ({ sql, caller, body, nowMs, record }) => {
      const row = await createFlow(sql, caller.projectId, body, nowMs);
      await record({ action: 'flow.created', subject: row.id, name: row.name, before: null, after: viewFlow(row) });
      return { status: 201, body: viewFlow(row), headers: { Location: `/v0/flows/${row.id}` } };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/flows/{id}',
    summary: 'Get a flow',
    tag: 'Flows',
    scope: 'flows:read',
    params,
    answers: { 200: flowSchema },
    handle: async ({ sql, caller, params }) => {
      const row = await findFlow(sql, caller.projectId, params.id);
      if (row === null) throw new Problem('not_found');
      return { status: 200, body: viewFlow(row) };
    },
  }),
  endpoint({
    method: 'patch',
    path: '/v0/flows/{id}',
    summary: 'Update a flow; new steps, window or order create a new version',
    tag: 'Flows',
    scope: 'flows:write',
    params,
    body: flowPatchSchema,
    answers: { 200: flowSchema },
    ifMatch: true,
    audit: ['flow.updated'],
    handle: async ({ sql, caller, params, body, nowMs, expectedUpdate, record }) => {
      const target = { projectId: caller.projectId, id: params.id, expectedUpdate };
      const { before, flow } = await changeFlow(sql, target, body, nowMs);
      const change = { subject: flow.id, name: flow.name, before: viewFlow(before), after: viewFlow(flow) };
      await record({ action: 'flow.updated', ...change });
      return { status: 200, body: viewFlow(flow) };
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v0/flows/{id}',
    summary: 'Delete a flow and its funnel data',
    tag: 'Flows',
    scope: 'flows:write',
    params,
    answers: { 204: null },
    ifMatch: true,
    audit: ['flow.deleted'],
    handle: async ({ sql, caller, params, expectedUpdate, record }) => {
      if (!(await lockFlow(sql, caller.projectId, params.id))) throw new Problem('not_found');
      const row = (await findFlow(sql, caller.projectId, params.id)) as FlowRow;
      requireUnchanged(expectedUpdate, row.updated_at);
      await deleteFlow(sql, caller.projectId, params.id);
      await record({ action: 'flow.deleted', subject: row.id, name: row.name, before: viewFlow(row), after: null });
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/flows/{id}/report',
    summary: 'Get the funnel report: JSON, or SVG with `Accept: image/svg+xml`',
    mediaTypes: ['application/json', 'image/svg+xml'],
    tag: 'Flows',
    scope: 'flows:read',
    pool: 'reports',
    params,
    query: reportQuerySchema,
    answers: { 200: reportSchema },
    handle: async ({ sql, caller, params, query, nowMs, accept }) => {
      const flow = await findFlow(sql, caller.projectId, params.id);
      if (flow === null) throw new Problem('not_found');
      const version = await findVersion(sql, flow.id, query.version ?? flow.version);
      if (version === null) throw new Problem('not_found', { detail: 'the flow does not have this version' });
      const project = await findProject(sql, caller.projectId);
      const report = await readReport(sql, version, query, project?.event_retention_days ?? 30, nowMs);
      const headers = { Vary: 'Accept' };
      if (!prefersSvg(accept)) return { status: 200, body: report, headers };
      const policy = { ...headers, 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" };
      return { status: 200, headers: policy, text: { type: 'image/svg+xml', content: drawFunnel(flow.name, report) } };
    },
  }),
];
