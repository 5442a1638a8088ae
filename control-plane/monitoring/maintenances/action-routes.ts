import { z } from 'zod';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { addUpdate, cancelOccurrence, endOccurrence, extendOccurrence } from './act.ts';
import { recordedChange } from './audit.ts';
import {
  extendSchema,
  maintenanceSchema,
  occurrenceChoiceSchema,
  updatePatchSchema,
  updatePostSchema,
} from './maintenance.ts';
import type { AnnouncingPages } from './pages.ts';
import { maintenanceParams, showMaintenance } from './routes.ts';
import { editUpdate } from './updates/edit-update.ts';

const common = {
  tag: 'Maintenance',
  scope: 'maintenances:write',
  params: maintenanceParams,
  answers: { 200: maintenanceSchema },
} as const;

/** What is done with a window while it lasts, or before. */
export const maintenanceActionEndpoints = (pages: AnnouncingPages): readonly Endpoint[] => [
  endpoint({
    ...common,
    method: 'post',
    path: '/v0/maintenances/{id}/extend',
    summary: 'Extend the occurrence in progress, or the one named',
    body: extendSchema,
    audit: ['maintenance.extended'],
    handle: async request => {
      const { sql, caller, params, body, nowMs } = request;
      const target = { projectId: caller.projectId, id: params.id, occurrenceId: body.occurrence_id };
      await recordedChange(request, 'maintenance.extended', () =>
        extendOccurrence(sql, pages, target, body.ends_at, nowMs),
      );
      return showMaintenance(sql, caller, params.id, nowMs);
    },
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/v0/maintenances/{id}/end',
    summary: 'End the occurrence in progress now',
    body: occurrenceChoiceSchema,
    audit: ['maintenance.ended'],
    handle: async request => {
      const { sql, caller, params, body, nowMs } = request;
      const target = { projectId: caller.projectId, id: params.id, occurrenceId: body.occurrence_id };
      await recordedChange(request, 'maintenance.ended', () => endOccurrence(sql, target, nowMs));
      return showMaintenance(sql, caller, params.id, nowMs);
    },
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/v0/maintenances/{id}/cancel',
    summary: 'Cancel the occurrence in progress, otherwise the next one, or the one named',
    body: occurrenceChoiceSchema,
    audit: ['maintenance.cancelled'],
    handle: async request => {
      const { sql, caller, params, body, nowMs } = request;
      const target = { projectId: caller.projectId, id: params.id, occurrenceId: body.occurrence_id };
      await recordedChange(request, 'maintenance.cancelled', () => cancelOccurrence(sql, target, nowMs));
      return showMaintenance(sql, caller, params.id, nowMs);
    },
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/v0/maintenances/{id}/updates',
    summary: 'Post an update on the pages that show the window; subscribers are notified',
    body: updatePostSchema,
    answers: { 201: maintenanceSchema },
    audit: ['maintenance.update_posted'],
    handle: async request => {
      const { sql, caller, params, body, nowMs } = request;
      const target = { projectId: caller.projectId, id: params.id, occurrenceId: body.occurrence_id };
      await recordedChange(request, 'maintenance.update_posted', () => addUpdate(sql, pages, target, body, nowMs));
      return showMaintenance(sql, caller, params.id, nowMs, 201);
    },
  }),
  endpoint({
    ...common,
    method: 'patch',
    path: '/v0/maintenances/{id}/updates/{update_id}',
    summary: 'Edit the text of an update; no notifications are sent',
    params: z.object({ id: z.string().max(40), update_id: z.string().max(40) }),
    body: updatePatchSchema,
    audit: ['maintenance.update_edited'],
    handle: async request => {
      const { sql, caller, params, body, nowMs } = request;
      const target = { projectId: caller.projectId, id: params.id, updateId: params.update_id };
      await recordedChange(request, 'maintenance.update_edited', () => editUpdate(sql, target, body.body, nowMs));
      return showMaintenance(sql, caller, params.id, nowMs);
    },
  }),
];
