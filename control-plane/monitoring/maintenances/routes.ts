import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { type Answer, type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageInPortions, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { commaList, rangeParameters } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import { auditMaintenance, recordedChange } from './audit.ts';
import { changeMaintenance, patchFaults } from './change.ts';
import { createMaintenance } from './create.ts';
import { listMaintenances } from './list-store.ts';
import { lockMembers } from './lock.ts';
import {
  maintenancePatchSchema,
  maintenancePostSchema,
  maintenanceSchema,
  maintenanceStates,
  occurrenceSchema,
  previewSchema,
} from './maintenance.ts';
import { listOccurrences } from './occurrences/list-store.ts';
import { previewMaintenance } from './occurrences/preview.ts';
import { viewOccurrence } from './occurrences/store.ts';
import type { AnnouncingPages } from './pages.ts';
import { removeMaintenance } from './remove.ts';
import { findMaintenance } from './store.ts';
import { maintenanceFaults } from './validate.ts';
import { viewMaintenance } from './view.ts';

export const maintenanceParams = z.object({ id: z.string().max(40) });
const tag = 'Maintenance';
/** Each may have a quarter of a million characters of updates. */
const portionRows = 10;

/** Answers with a maintenance of the caller's project. Throws `not_found`. */
export async function showMaintenance(
  sql: Sql,
  caller: Caller,
  id: string,
  nowMs: number,
  status = 200,
): Promise<Answer> {
  const row = await findMaintenance(sql, caller.projectId, id, nowMs);
  if (row === null) throw new Problem('not_found');
  return { status, body: viewMaintenance(row) };
}

export const maintenanceEndpoints = (pages: AnnouncingPages): readonly Endpoint[] => [
  endpoint({
    method: 'get',
    path: '/v0/maintenances',
    summary: 'List maintenance windows, newest first',
    tag,
    scope: 'maintenances:read',
    query: z.strictObject({
      ...pageParameters,
      ...rangeParameters,
      state: commaList(maintenanceStates).optional(),
      monitor_id: z.string().max(40).optional(),
      status_page_id: z.string().max(40).optional(),
    }),
    answers: { 200: listOf(maintenanceSchema) },
    handle: async ({ sql, caller, query, nowMs }) => {
      const filter = {
        states: query.state ?? null,
        fromMs: query.from ?? null,
        toMs: query.to ?? null,
        monitorId: query.monitor_id ?? null,
        statusPageId: query.status_page_id ?? null,
      };
      const body = await pageInPortions(
        page => listMaintenances(sql, caller.projectId, filter, page, nowMs),
        { name: 'maintenances', query, keyOf: row => [row.created_at, row.id], show: viewMaintenance },
        portionRows,
      );
      return { status: 200, body };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/maintenances',
    summary: 'Plan a maintenance window, once or recurring',
    tag,
    scope: 'maintenances:write',
    body: maintenancePostSchema,
    check: async (fields, { sql, caller, nowMs }) => {
      await lockMembers(sql, caller.projectId);
      const { notify: _notify, ...checked } = fields;
      return maintenanceFaults(sql, pages, caller.projectId, checked, nowMs);
    },
    answers: { 201: maintenanceSchema },
    audit: ['maintenance.created'],
    handle: async request => {
      const { sql, caller, body, nowMs } = request;
      const id = await createMaintenance(sql, pages, caller.projectId, body, nowMs);
      const after = await auditMaintenance(request, id);
      await request.record({ action: 'maintenance.created', subject: id, name: body.title, before: null, after });
      const answer = await showMaintenance(sql, caller, id, nowMs, 201);
      return { ...answer, headers: { Location: `/v0/maintenances/${id}` } };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/maintenances/preview',
    summary: 'Preview when a maintenance window would occur and what it would cover',
    tag,
    scope: 'maintenances:write',
    body: maintenancePostSchema,
    check: (fields, { sql, caller, nowMs }) => {
      const { notify: _notify, ...checked } = fields;
      return maintenanceFaults(sql, pages, caller.projectId, checked, nowMs);
    },
    answers: { 200: previewSchema },
    changesNothing: () => true,
    handle: async ({ sql, caller, body }) => ({
      status: 200,
      body: await previewMaintenance(sql, pages, caller.projectId, body),
    }),
  }),
  endpoint({
    method: 'get',
    path: '/v0/maintenances/{id}',
    summary: 'Get a maintenance window',
    tag,
    scope: 'maintenances:read',
    params: maintenanceParams,
    answers: { 200: maintenanceSchema },
    handle: ({ sql, caller, params, nowMs }) => showMaintenance(sql, caller, params.id, nowMs),
  }),
  endpoint({
    method: 'patch',
    path: '/v0/maintenances/{id}',
    summary: 'Update a maintenance window; nobody is notified',
    tag,
    scope: 'maintenances:write',
    params: maintenanceParams,
    body: maintenancePatchSchema,
    ifMatch: true,
    check: (fields, { sql, caller, params, nowMs }) =>
      patchFaults(sql, pages, { projectId: caller.projectId, id: params.id }, fields, nowMs),
    answers: { 200: maintenanceSchema },
    audit: ['maintenance.updated'],
    handle: async request => {
      const { sql, caller, params, body, nowMs, expectedUpdate } = request;
      const target = { projectId: caller.projectId, id: params.id, expectedUpdate };
      await recordedChange(request, 'maintenance.updated', () => changeMaintenance(sql, target, body, nowMs));
      return showMaintenance(sql, caller, params.id, nowMs);
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v0/maintenances/{id}',
    summary: 'Delete a maintenance window and undo its effect on uptime; to keep the effect, cancel it instead',
    tag,
    scope: 'maintenances:write',
    params: maintenanceParams,
    answers: { 204: null },
    ifMatch: true,
    audit: ['maintenance.deleted'],
    handle: async request => {
      const { sql, caller, params, nowMs } = request;
      const target = { projectId: caller.projectId, id: params.id };
      await recordedChange(request, 'maintenance.deleted', () => removeMaintenance(sql, target, nowMs));
      return { status: 204 };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/maintenances/{id}/occurrences',
    summary: 'List the occurrences of a maintenance window, latest start first; 90 days ahead',
    tag,
    scope: 'maintenances:read',
    params: maintenanceParams,
    query: z.strictObject({ ...pageParameters, ...rangeParameters }),
    answers: { 200: listOf(occurrenceSchema) },
    handle: async ({ sql, caller, params, query, nowMs }) => {
      if ((await findMaintenance(sql, caller.projectId, params.id, nowMs)) === null) throw new Problem('not_found');
      const list = `occurrences ${params.id}`;
      const range = { fromMs: query.from ?? null, toMs: query.to ?? null };
      const rows = await listOccurrences(sql, params.id, range, readPage(list, query));
      const body = pageOf(
        list,
        query,
        rows,
        row => [row.starts_at, row.id],
        row => viewOccurrence(row, nowMs),
      );
      return { status: 200, body };
    },
  }),
];
