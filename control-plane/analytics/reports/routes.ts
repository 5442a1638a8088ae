import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { hasChanges } from '../../platform/http/endpoint/has-changes.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import { analyticsCounts } from '../quotas/store.ts';
import { type ReportItem, reportPatchSchema, reportPostSchema, reportSchema } from './report.ts';
import {
  deleteReport,
  findReport,
  insertReport,
  isNameTaken,
  listReports,
  lockReport,
  unknownFlows,
  updateReport,
  viewReport,
} from './store.ts';

const params = z.object({ id: z.string().max(40) });
const tag = 'Reports';

/** Questions that a project asks again and again. They hold no data: each item is asked by its parameters. */
export const reportEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/reports',
    summary: 'List reports, newest first',
    tag,
    scope: 'flows:read',
    query: z.strictObject(pageParameters),
    answers: { 200: listOf(reportSchema) },
    handle: async ({ sql, caller, query }) => {
      const rows = await listReports(sql, caller.projectId, readPage('reports', query));
      return { status: 200, body: pageOf('reports', query, rows, row => [row.created_at, row.id], viewReport) };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/reports',
    summary: 'Create a report of trends, funnels and retention',
    tag,
    scope: 'flows:write',
    body: reportPostSchema,
    check: ({ items }, { sql, caller }) => flowErrors(sql, caller.projectId, items, []),
    answers: { 201: reportSchema },
    audit: ['report.created'],
    handle: async ({ sql, caller, body, nowMs, record }) => {
      await requireQuota(sql, caller.projectId, analyticsCounts.reports);
      const row = await insertReport(sql, caller.projectId, body, nowMs);
      if (row === null) throw new Problem('name_taken');
      const after = viewReport(row);
      await record({ action: 'report.created', subject: row.id, name: row.name, before: null, after });
      return { status: 201, body: after, headers: { Location: `/v0/reports/${row.id}` } };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/reports/{id}',
    summary: 'Get a report',
    tag,
    scope: 'flows:read',
    params,
    answers: { 200: reportSchema },
    handle: async ({ sql, caller, params }) => {
      const row = await findReport(sql, caller.projectId, params.id);
      if (row === null) throw new Problem('not_found');
      return { status: 200, body: viewReport(row) };
    },
  }),
  endpoint({
    method: 'patch',
    path: '/v0/reports/{id}',
    summary: 'Update a report; `items` are replaced',
    tag,
    scope: 'flows:write',
    params,
    body: reportPatchSchema,
    check: async ({ items }, { sql, caller, params }) => {
      const row = await findReport(sql, caller.projectId, params.id);
      return flowErrors(sql, caller.projectId, items, row?.items ?? []);
    },
    answers: { 200: reportSchema },
    ifMatch: true,
    audit: ['report.updated'],
    handle: async ({ sql, caller, params, body, nowMs, expectedUpdate, record }) => {
      const row = await lockReport(sql, caller.projectId, params.id);
      if (row === null) throw new Problem('not_found');
      requireUnchanged(expectedUpdate, row.updated_at);
      const before = viewReport(row);
      if (!hasChanges(body, before)) return { status: 200, body: before };
      if (body.name !== undefined && (await isNameTaken(sql, caller.projectId, body.name, row.id)))
        throw new Problem('name_taken');
      await updateReport(sql, row.id, body, nowMs);
      const after = viewReport((await findReport(sql, caller.projectId, row.id)) ?? row);
      await record({ action: 'report.updated', subject: row.id, name: after.name, before, after });
      return { status: 200, body: after };
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v0/reports/{id}',
    summary: 'Delete a report; what it shows stays',
    tag,
    scope: 'flows:write',
    params,
    answers: { 204: null },
    ifMatch: true,
    audit: ['report.deleted'],
    handle: async ({ sql, caller, params, expectedUpdate, record }) => {
      const row = await lockReport(sql, caller.projectId, params.id);
      if (row === null) throw new Problem('not_found');
      requireUnchanged(expectedUpdate, row.updated_at);
      await deleteReport(sql, caller.projectId, row.id);
      await record({ action: 'report.deleted', subject: row.id, name: row.name, before: viewReport(row), after: null });
      return { status: 204 };
    },
  }),
];

/** An item whose flow was deleted stays: what the report has already is not refused. */
async function flowErrors(
  sql: Sql,
  projectId: string,
  items: readonly ReportItem[] = [],
  present: readonly ReportItem[],
): Promise<FieldError[]> {
  const known = new Set(present.map(flowOf));
  const asked = new Set(items.flatMap(item => flowOf(item) ?? []).filter(id => !known.has(id)));
  const unknown = new Set(await unknownFlows(sql, projectId, [...asked]));
  return items.flatMap((item, index): FieldError[] =>
    unknown.has(flowOf(item) ?? '')
      ? [{ pointer: `/items/${index}/flow_id`, code: 'unknown_reference', detail: 'is not a flow' }]
      : [],
  );
}

function flowOf(item: ReportItem): string | null {
  return item.type === 'funnel' ? item.flow_id : null;
}
