import { z } from 'zod';
import { incidentStates, severities } from '#shared/vocabulary.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { listOf, pageInPortions, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { commaList, rangeParameters } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import { auditSchema, viewAudit } from '../../platform/projects/audit.ts';
import { listAudit } from '../../platform/projects/audit-store.ts';
import { addUpdate } from './add-update.ts';
import { changeIncident } from './change.ts';
import { createIncident } from './create.ts';
import { editUpdate } from './edit-update.ts';
import { importedIncidentEndpoints } from './imported/routes.ts';
import {
  incidentPatchSchema,
  incidentPostSchema,
  incidentSchema,
  resolvePostSchema,
  updatePatchSchema,
  updatePostSchema,
} from './incident.ts';
import { promoteEndpoints } from './promote-routes.ts';
import { removeIncident } from './remove.ts';
import { resolveIncident } from './resolve.ts';
import { showIncident } from './show.ts';
import { findIncident, listIncidents, lockIncident, viewIncident } from './store.ts';
import { endErrors, incidentFaults } from './validate.ts';

const incidentParams = z.object({ id: z.string().max(40) });
const tag = 'Incidents';
/** Incidents read at once for a list: each may have a quarter of a million characters. */
const portionRows = 10;

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
        const body = await pageInPortions(
          page => listIncidents(sql, caller.projectId, filter, page),
          {
            name: 'incidents',
            query,
            keyOf: row => [row.started_at, row.id],
            show: row => viewIncident(row, baseUrl),
          },
          portionRows,
        );
        return { status: 200, body };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/incidents',
      summary:
        'Create an incident; its initial update is published and, unless `notify` is false, sent to subscribers. ' +
        'One that is over has `resolved_at`',
      tag,
      scope: 'incidents:write',
      body: incidentPostSchema,
      check: async (fields, { sql, caller, nowMs }) => {
        const scope = { projectId: caller.projectId, statusPageId: fields.status_page_id ?? '', resolvedAt: null };
        return [...(await incidentFaults(sql, scope, fields, nowMs)), ...endErrors(fields, nowMs)];
      },
      answers: { 201: incidentSchema },
      audit: ['incident.opened'],
      handle: async ({ sql, caller, body, nowMs, record }) => {
        const opened = await createIncident(sql, caller.projectId, body, nowMs);
        await record(opened);
        return show(sql, caller, opened.subject, 201);
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/incidents/{id}',
      summary: 'Get an incident with all its updates',
      tag,
      scope: 'incidents:read',
      params: incidentParams,
      answers: { 200: incidentSchema },
      handle: ({ sql, caller, params }) => show(sql, caller, params.id),
    }),
    endpoint({
      method: 'patch',
      path: '/v0/incidents/{id}',
      summary: 'Update an incident or attach a post-mortem; no notifications are sent',
      tag,
      scope: 'incidents:write',
      params: incidentParams,
      body: incidentPatchSchema,
      ifMatch: true,
      check: async (fields, { sql, caller, params, nowMs, expectedUpdate }) => {
        const incident = await lockIncident(sql, caller.projectId, params.id);
        if (incident === null) return [];
        requireUnchanged(expectedUpdate, incident.updated_at);
        const { project_id: projectId, status_page_id: statusPageId, resolved_at: resolvedAt } = incident;
        return incidentFaults(sql, { projectId, statusPageId, resolvedAt }, fields, nowMs);
      },
      answers: { 200: incidentSchema },
      audit: ['incident.changed'],
      handle: async ({ sql, caller, params, body, nowMs, record }) => {
        const change = await changeIncident(sql, caller.projectId, params.id, body, nowMs);
        if (change !== null) await record(change);
        return show(sql, caller, params.id);
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v0/incidents/{id}',
      summary: 'Delete an incident and remove it from the page; no notifications are sent',
      tag,
      scope: 'incidents:write',
      params: incidentParams,
      answers: { 204: null },
      audit: ['incident.deleted'],
      handle: async ({ sql, caller, params, nowMs, record }) => {
        await record(await removeIncident(sql, caller.projectId, params.id, nowMs));
        return { status: 204 };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/incidents/{id}/updates',
      summary: 'Post an update; it is published and sent to subscribers',
      tag,
      scope: 'incidents:write',
      params: incidentParams,
      body: updatePostSchema,
      answers: { 201: incidentSchema },
      audit: ['incident.updated'],
      handle: async ({ sql, caller, params, body, nowMs, record }) => {
        await record(await addUpdate(sql, caller.projectId, params.id, body, nowMs));
        return show(sql, caller, params.id, 201);
      },
    }),
    endpoint({
      method: 'patch',
      path: '/v0/incidents/{id}/updates/{update_id}',
      summary: 'Edit the text of an update; the old text is stored, and no notifications are sent',
      tag,
      scope: 'incidents:write',
      params: z.object({ id: z.string().max(40), update_id: z.string().max(40) }),
      body: updatePatchSchema,
      answers: { 200: incidentSchema },
      audit: ['incident.update_edited'],
      handle: async ({ sql, caller, params, body, nowMs, record }) => {
        const target = { id: params.id, updateId: params.update_id };
        const change = await editUpdate(sql, caller.projectId, target, body.body, nowMs);
        if (change !== null) await record(change);
        return show(sql, caller, params.id);
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/incidents/{id}/resolve',
      summary: 'Resolve an incident with a last update; 409 if it is already resolved',
      tag,
      scope: 'incidents:write',
      params: incidentParams,
      body: resolvePostSchema,
      answers: { 200: incidentSchema },
      audit: ['incident.resolved'],
      handle: async ({ sql, caller, params, body, nowMs, record }) => {
        await record(await resolveIncident(sql, caller.projectId, params.id, body.body, nowMs));
        return show(sql, caller, params.id);
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/incidents/{id}/audit',
      summary: 'List the changes of an incident and who made them, newest first',
      tag,
      scope: 'incidents:read',
      params: incidentParams,
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(auditSchema) },
      handle: async ({ sql, caller, params, query }) => {
        if ((await findIncident(sql, caller.projectId, params.id)) === null) throw new Problem('not_found');
        const list = `audit ${params.id}`;
        const filter = { subject: params.id, actor: null, actions: null, fromMs: null, toMs: null };
        const rows = await listAudit(sql, caller.projectId, filter, readPage(list, query));
        return { status: 200, body: pageOf(list, query, rows, row => [row.at, row.id], viewAudit) };
      },
    }),
    ...promoteEndpoints(show),
    ...importedIncidentEndpoints,
  ];
}
