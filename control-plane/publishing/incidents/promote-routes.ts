import { z } from 'zod';
import { impacts, incidentStates, severities } from '#shared/vocabulary.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { incidentSchema, promotePostSchema } from './incident.ts';
import { previewPromotion, promoteAlert } from './promote.ts';
import type { ShowIncident } from './show.ts';

const params = z.object({ alert_id: z.string().max(40) });
const named = z.object({ id: z.string(), name: z.string() });

const promotionSchema = z
  .object({
    title: z.string(),
    severity: z.enum(severities),
    impact: z.enum(impacts),
    status_page_id: z
      .string()
      .nullable()
      .describe('ID of the status page; null if several pages or none fit: choose one of `status_pages`.'),
    affected_components: z.array(z.string()),
    components: z.array(named),
    initial_update: z.object({ state: z.enum(incidentStates), body: z.string() }),
    status_pages: z.array(named).describe('Status pages with a component of the monitor.'),
    incident_id: z
      .string()
      .nullable()
      .describe('ID of the incident that the alert was promoted to; null if it was not.'),
  })
  .meta({ title: 'Promotion' });

export function promoteEndpoints(show: ShowIncident): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v0/alerts/{alert_id}/promotion',
      summary: 'Preview the incident that promoting an alert would publish',
      tag: 'Incidents',
      scope: 'alerts:read',
      params,
      query: z.strictObject({
        severity: z.enum(severities).optional(),
        status_page_id: z.string().max(64).optional(),
      }),
      answers: { 200: promotionSchema },
      handle: async ({ sql, caller, params, query }) => {
        const preview = await previewPromotion(sql, {
          projectId: caller.projectId,
          alertId: params.alert_id,
          severity: query.severity ?? null,
          statusPageId: query.status_page_id ?? null,
        });
        const body = {
          title: preview.title,
          severity: preview.severity,
          impact: preview.impact,
          status_page_id: preview.page?.id ?? null,
          affected_components: preview.components.map(component => component.id),
          components: preview.components,
          initial_update: preview.initialUpdate,
          status_pages: preview.pages,
          incident_id: preview.alert.incident_id,
        };
        return { status: 200, body };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/alerts/{alert_id}/promote',
      summary: 'Promote an alert to an incident; its first update says what fails and since when',
      tag: 'Incidents',
      scope: 'incidents:write',
      // The incident says what fails.
      secondScope: 'alerts:read',
      params,
      body: promotePostSchema,
      answers: { 201: incidentSchema },
      audit: ['incident.promoted'],
      handle: async ({ sql, caller, params, body, nowMs, record }) => {
        const request = {
          projectId: caller.projectId,
          alertId: params.alert_id,
          severity: body.severity,
          statusPageId: body.status_page_id,
        };
        const promoted = await promoteAlert(sql, request, body, caller.actor, nowMs);
        await record(promoted);
        return show(sql, caller, promoted.subject, 201);
      },
    }),
  ];
}
