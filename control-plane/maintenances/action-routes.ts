import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { addUpdate, cancelOccurrence, endOccurrence, extendOccurrence } from './act.ts';
import { editUpdate } from './edit-update.ts';
import {
  extendSchema,
  maintenanceSchema,
  occurrenceChoiceSchema,
  updatePatchSchema,
  updatePostSchema,
} from './maintenance.ts';
import { maintenanceParams, showMaintenance } from './routes.ts';

const common = {
  tag: 'Maintenance',
  scope: 'maintenances:write',
  params: maintenanceParams,
  answers: { 200: maintenanceSchema },
} as const;

/** What is done with a window while it lasts, or before. */
export const maintenanceActionEndpoints: readonly Endpoint[] = [
  endpoint({
    ...common,
    method: 'post',
    path: '/v0/maintenances/{id}/extend',
    summary: 'Let the occurrence in progress, or the one named, end later',
    body: extendSchema,
    handle: async ({ sql, caller, params, body, nowMs }) => {
      const target = { projectId: caller.projectId, id: params.id, occurrenceId: body.occurrence_id };
      await extendOccurrence(sql, target, body.ends_at, nowMs);
      return showMaintenance(sql, caller, params.id, nowMs);
    },
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/v0/maintenances/{id}/end',
    summary: 'End the occurrence in progress now',
    body: occurrenceChoiceSchema,
    handle: async ({ sql, caller, params, body, nowMs }) => {
      const target = { projectId: caller.projectId, id: params.id, occurrenceId: body.occurrence_id };
      await endOccurrence(sql, target, nowMs);
      return showMaintenance(sql, caller, params.id, nowMs);
    },
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/v0/maintenances/{id}/cancel',
    summary: 'Cancel the occurrence in progress, else the next one, or the one named',
    body: occurrenceChoiceSchema,
    handle: async ({ sql, caller, params, body, nowMs }) => {
      const target = { projectId: caller.projectId, id: params.id, occurrenceId: body.occurrence_id };
      await cancelOccurrence(sql, target, nowMs);
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
    handle: async ({ sql, caller, params, body, nowMs }) => {
      const target = { projectId: caller.projectId, id: params.id, occurrenceId: body.occurrence_id };
      await addUpdate(sql, target, body, nowMs);
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
    handle: async ({ sql, caller, params, body, nowMs }) => {
      const target = { projectId: caller.projectId, id: params.id, updateId: params.update_id };
      const isChanged = await editUpdate(sql, target, body.body, nowMs);
      return { ...(await showMaintenance(sql, caller, params.id, nowMs)), unchanged: !isChanged };
    },
  }),
];
