import { z } from 'zod';
import type { Sql } from '../db/sql.ts';
import { type Answer, type Caller, type Endpoint, endpoint } from '../http/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../http/pagination.ts';
import { Problem } from '../http/problem.ts';
import { changeMonitor } from './change.ts';
import { createMonitor, furtherFaults, type MonitorServices, withPolicy } from './create.ts';
import { type MonitorPatch, monitorPatchSchema, monitorPostSchema, monitorSchema } from './monitor.ts';
import { removeMonitor } from './remove.ts';
import { findMonitor, listMonitors } from './store.ts';
import { viewMonitor } from './view.ts';

export const monitorParams = z.object({ id: z.string().max(40) });

type Change = { sql: Sql; caller: Caller; params: { id: string }; nowMs: number };

export function monitorEndpoints(services: MonitorServices): readonly Endpoint[] {
  const show = async (sql: Sql, caller: Caller, id: string, nowMs: number, status = 200): Promise<Answer> => {
    const found = await findMonitor(sql, services.keyring, caller.projectId, id);
    if (found === null) throw new Problem('not_found');
    const headers: Record<string, string> = status === 201 ? { Location: `/v0/monitors/${id}` } : {};
    return { status, body: viewMonitor(found, caller.scopes, nowMs), headers };
  };
  const change = async ({ sql, caller, params, nowMs }: Change, patch: MonitorPatch): Promise<Answer> => {
    await changeMonitor(
      sql,
      services,
      { projectId: caller.projectId, id: params.id },
      withPolicy(patch as never),
      nowMs,
    );
    return show(sql, caller, params.id, nowMs);
  };
  const tag = 'Monitors';
  const answers = { 200: monitorSchema };
  return [
    endpoint({
      method: 'get',
      path: '/v0/monitors',
      summary: 'List monitors, newest first',
      tag,
      scope: 'monitors:read',
      query: z.strictObject({ ...pageParameters, enabled: z.enum(['true', 'false']).optional() }),
      answers: { 200: listOf(monitorSchema) },
      handle: async ({ sql, caller, query, nowMs }) => {
        const enabled = query.enabled === undefined ? null : query.enabled === 'true';
        const rows = await listMonitors(sql, services.keyring, caller.projectId, enabled, readPage('monitors', query));
        const body = pageOf(
          'monitors',
          query,
          rows,
          row => [row.monitor.createdAt, row.monitor.id],
          row => viewMonitor(row, caller.scopes, nowMs),
        );
        return { status: 200, body };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/monitors',
      summary: 'Make a monitor, or bring back one deleted within 30 days by its name',
      tag,
      scope: 'monitors:write',
      body: monitorPostSchema,
      alsoCheck: (valid, { sql, caller }) => furtherFaults(sql, caller.projectId, valid),
      answers: { 201: monitorSchema },
      handle: async ({ sql, caller, body, nowMs }) => {
        const id = await createMonitor(sql, services, caller.projectId, withPolicy(body), nowMs);
        return show(sql, caller, id, nowMs, 201);
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/monitors/{id}',
      summary: 'One monitor with its status and votes',
      tag,
      scope: 'monitors:read',
      params: monitorParams,
      answers,
      handle: ({ sql, caller, params, nowMs }) => show(sql, caller, params.id, nowMs),
    }),
    endpoint({
      method: 'patch',
      path: '/v0/monitors/{id}',
      summary: 'Change some fields; arrays and objects are replaced as a whole',
      tag,
      scope: 'monitors:write',
      params: monitorParams,
      body: monitorPatchSchema,
      alsoCheck: async (valid, { sql, caller, params }) => {
        const { id } = params as { id: string };
        const stored = await findMonitor(sql, services.keyring, caller.projectId, id);
        return stored === null ? [] : furtherFaults(sql, caller.projectId, { ...stored.monitor.settings, ...valid });
      },
      answers,
      handle: request => change(request, request.body),
    }),
    endpoint({
      method: 'delete',
      path: '/v0/monitors/{id}',
      summary: 'Delete a monitor; its history stays for 30 days',
      tag,
      scope: 'monitors:write',
      params: monitorParams,
      answers: { 204: null },
      handle: async ({ sql, caller, params, nowMs }) => {
        await removeMonitor(sql, services, { projectId: caller.projectId, id: params.id }, nowMs);
        return { status: 204 };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/monitors/{id}/pause',
      summary: 'Stop checking; no alert opens meanwhile',
      tag,
      scope: 'monitors:write',
      params: monitorParams,
      answers,
      handle: request => change(request, { enabled: false }),
    }),
    endpoint({
      method: 'post',
      path: '/v0/monitors/{id}/resume',
      summary: 'Check again, at once',
      tag,
      scope: 'monitors:write',
      params: monitorParams,
      answers,
      handle: request => change(request, { enabled: true }),
    }),
  ];
}
