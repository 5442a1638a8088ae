import { z } from 'zod';
import type { Sql } from '../db/sql.ts';
import { appendFact } from '../facts/store.ts';
import { type Caller, type Endpoint, endpoint } from '../http/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../http/pagination.ts';
import { commaList, rangeParameters } from '../http/parameters.ts';
import { fieldProblem, Problem } from '../http/problem.ts';
import { severities } from '../monitors/monitor.ts';
import { listAudit, viewAudit, writeAudit } from './audit-store.ts';
import { incidentFaults } from './change.ts';
import {
  impactOf,
  incidentPatchSchema,
  incidentPostSchema,
  incidentSchema,
  resolvePostSchema,
  updatePatchSchema,
  updatePostSchema,
} from './incident.ts';
import { incidentStates } from './incident-words.ts';
import { openIncident } from './open.ts';
import { postUpdate } from './post-update.ts';
import { promoteEndpoints } from './promote-routes.ts';
import { releaseAlert } from './promote-store.ts';
import { showIncident } from './show.ts';
import {
  findIncident,
  type LockedIncident,
  listIncidents,
  lockIncident,
  markIncidentDeleted,
  updateIncident,
  viewIncident,
} from './store.ts';
import { replaceBody } from './update-store.ts';

export const incidentParams = z.object({ id: z.string().max(40) });
const tag = 'Incidents';

/** `baseUrl` is where the public reaches the pages. */
export function incidentEndpoints({ baseUrl }: { baseUrl: string }): readonly Endpoint[] {
  const show = showIncident(baseUrl);
  return [
    endpoint({
      method: 'get',
      path: '/v0/incidents',
      summary: 'List incidents, latest start first',
      tag,
      scope: 'incidents:read',
      query: z.strictObject({
        ...pageParameters,
        ...rangeParameters,
        state: commaList(incidentStates).optional(),
        severity: commaList(severities).optional(),
        status_page_id: z.string().max(40).optional(),
      }),
      answers: { 200: listOf(incidentSchema) },
      handle: async ({ sql, caller, query }) => {
        const filter = {
          states: query.state ?? null,
          severities: query.severity ?? null,
          statusPageId: query.status_page_id ?? null,
          fromMs: query.from ?? null,
          toMs: query.to ?? null,
        };
        const rows = await listIncidents(sql, caller.projectId, filter, readPage('incidents', query));
        const view = (row: (typeof rows)[number]) => viewIncident(row, baseUrl);
        return { status: 200, body: pageOf('incidents', query, rows, row => [row.started_at, row.id], view) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/incidents',
      summary: 'Open an incident; its initial update is published and told to subscribers',
      tag,
      scope: 'incidents:write',
      body: incidentPostSchema,
      alsoCheck: (valid, { sql, caller, nowMs }) => {
        const statusPageId = typeof valid.status_page_id === 'string' ? valid.status_page_id : '';
        return incidentFaults(sql, { projectId: caller.projectId, statusPageId, resolvedAt: null }, valid, nowMs);
      },
      answers: { 201: incidentSchema },
      handle: async ({ sql, caller, body, nowMs }) => {
        const scope = { projectId: caller.projectId, statusPageId: body.status_page_id, resolvedAt: null };
        const incident = {
          ...scope,
          alertId: null,
          title: body.title,
          severity: body.severity,
          impact: body.impact ?? impactOf(body.severity),
          affectedComponents: body.affected_components,
          startedAt: body.started_at ?? nowMs,
        };
        const errors = await incidentFaults(sql, scope, body, nowMs);
        if (errors.length > 0) throw new Problem('validation_failed', { errors });
        const id = await openIncident(sql, incident, body.initial_update, nowMs);
        if (id === null) throw fieldProblem('/status_page_id', 'unknown_reference', 'is not a status page');
        await audit(sql, caller, 'incident.opened', id, body, nowMs);
        return show(sql, caller, id, 201);
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/incidents/{id}',
      summary: 'One incident with all its updates',
      tag,
      scope: 'incidents:read',
      params: incidentParams,
      answers: { 200: incidentSchema },
      handle: ({ sql, caller, params }) => show(sql, caller, params.id),
    }),
    endpoint({
      method: 'patch',
      path: '/v0/incidents/{id}',
      summary: 'Change some fields or attach a post-mortem; nobody is told',
      tag,
      scope: 'incidents:write',
      params: incidentParams,
      body: incidentPatchSchema,
      alsoCheck: async (valid, { sql, caller, params, nowMs }) => {
        const incident = await lockIncident(sql, caller.projectId, (params as { id: string }).id);
        return incident === null ? [] : incidentFaults(sql, scopeOf(incident), valid, nowMs);
      },
      answers: { 200: incidentSchema },
      handle: async ({ sql, caller, params, body, nowMs }) => {
        const incident = await lock(sql, caller, params.id);
        const errors = await incidentFaults(sql, scopeOf(incident), body, nowMs);
        if (errors.length > 0) throw new Problem('validation_failed', { errors });
        await updateIncident(sql, incident.id, body, nowMs);
        await tellChanged(sql, incident, 'incident.changed', nowMs);
        await audit(sql, caller, 'incident.changed', incident.id, body, nowMs);
        return show(sql, caller, params.id);
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v0/incidents/{id}',
      summary: 'Take an incident off the page; nobody is told',
      tag,
      scope: 'incidents:write',
      params: incidentParams,
      answers: { 204: null },
      handle: async ({ sql, caller, params, nowMs }) => {
        const incident = await lock(sql, caller, params.id);
        await markIncidentDeleted(sql, incident.id, nowMs);
        await releaseAlert(sql, incident.id);
        await tellChanged(sql, incident, 'incident.deleted', nowMs);
        await audit(sql, caller, 'incident.deleted', incident.id, {}, nowMs);
        return { status: 204 };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/incidents/{id}/updates',
      summary: 'Post an update: published, and told to subscribers',
      tag,
      scope: 'incidents:write',
      params: incidentParams,
      body: updatePostSchema,
      answers: { 201: incidentSchema },
      handle: async ({ sql, caller, params, body, nowMs }) => {
        const incident = await lock(sql, caller, params.id);
        const updateId = await postUpdate(sql, incident, body, nowMs);
        await audit(sql, caller, 'incident.updated', incident.id, { update_id: updateId, state: body.state }, nowMs);
        return show(sql, caller, params.id, 201);
      },
    }),
    endpoint({
      method: 'patch',
      path: '/v0/incidents/{id}/updates/{update_id}',
      summary: 'Edit the text of an update; the old one is kept, nobody is told',
      tag,
      scope: 'incidents:write',
      params: z.object({ id: z.string().max(40), update_id: z.string().max(40) }),
      body: updatePatchSchema,
      answers: { 200: incidentSchema },
      handle: async ({ sql, caller, params, body, nowMs }) => {
        const incident = await lock(sql, caller, params.id);
        if (!(await replaceBody(sql, incident.id, params.update_id, body.body, nowMs))) throw new Problem('not_found');
        await tellChanged(sql, incident, 'incident.changed', nowMs);
        await audit(sql, caller, 'incident.update_edited', incident.id, { update_id: params.update_id }, nowMs);
        return show(sql, caller, params.id);
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/incidents/{id}/resolve',
      summary: 'Post the last update and resolve; a second time is a 409',
      tag,
      scope: 'incidents:write',
      params: incidentParams,
      body: resolvePostSchema,
      answers: { 200: incidentSchema },
      handle: async ({ sql, caller, params, body, nowMs }) => {
        const incident = await lock(sql, caller, params.id);
        if (incident.resolved_at !== null) throw new Problem('already_resolved');
        const updateId = await postUpdate(sql, incident, { state: 'resolved', body: body.body }, nowMs);
        await audit(sql, caller, 'incident.resolved', incident.id, { update_id: updateId }, nowMs);
        return show(sql, caller, params.id);
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/incidents/{id}/audit',
      summary: 'Who changed what and when, newest first',
      tag,
      scope: 'incidents:read',
      params: incidentParams,
      query: z.strictObject(pageParameters),
      answers: {
        200: listOf(
          z.object({
            id: z.string(),
            at: z.string(),
            actor: z.string().describe('id of the token'),
            action: z.string(),
            detail: z.record(z.string(), z.unknown()),
          }),
        ),
      },
      handle: async ({ sql, caller, params, query }) => {
        if ((await findIncident(sql, caller.projectId, params.id)) === null) throw new Problem('not_found');
        const list = `audit ${params.id}`;
        const rows = await listAudit(sql, caller.projectId, params.id, readPage(list, query));
        return { status: 200, body: pageOf(list, query, rows, row => [row.at, row.id], viewAudit) };
      },
    }),
    ...promoteEndpoints(show),
  ];
}

function scopeOf(incident: LockedIncident): { projectId: string; statusPageId: string; resolvedAt: number | null } {
  return {
    projectId: incident.project_id,
    statusPageId: incident.status_page_id,
    resolvedAt: incident.resolved_at,
  };
}

async function lock(sql: Sql, caller: Caller, id: string): Promise<LockedIncident> {
  const incident = await lockIncident(sql, caller.projectId, id);
  if (incident === null) throw new Problem('not_found');
  return incident;
}

function audit(
  sql: Sql,
  caller: Caller,
  action: string,
  subject: string,
  given: Readonly<Record<string, unknown>>,
  nowMs: number,
): Promise<void> {
  const detail = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
  return writeAudit(sql, { projectId: caller.projectId, actor: caller.tokenId, action, subject, detail }, nowMs);
}

function tellChanged(
  sql: Sql,
  incident: LockedIncident,
  kind: 'incident.changed' | 'incident.deleted',
  nowMs: number,
): Promise<void> {
  const payload = { status_page_id: incident.status_page_id };
  return appendFact(sql, { kind, projectId: incident.project_id, subject: incident.id, payload }, nowMs);
}
