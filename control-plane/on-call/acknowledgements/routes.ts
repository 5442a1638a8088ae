import { z } from 'zod';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { commaList } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import { groupSchema, groupStates, viewGroup } from '../alert-groups/group.ts';
import { findGroup, listGroups } from '../alert-groups/store.ts';
import { acknowledgeGroup } from './acknowledge.ts';

const params = z.object({ id: z.string().max(40) });
const tag = 'Alerts';

/** Alerts that were notified together. */
export const alertGroupEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/alert-groups',
    summary: 'List groups of alerts that were notified together, newest first',
    tag,
    scope: 'alerts:read',
    query: z.strictObject({ ...pageParameters, state: commaList(groupStates).optional() }),
    answers: { 200: listOf(groupSchema) },
    handle: async ({ sql, caller, query }) => {
      const rows = await listGroups(sql, caller.projectId, query.state ?? null, readPage('alert-groups', query));
      return { status: 200, body: pageOf('alert-groups', query, rows, row => [row.opened_at, row.id], viewGroup) };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/alert-groups/{id}',
    summary: 'Get a group of alerts',
    tag,
    scope: 'alerts:read',
    params,
    answers: { 200: groupSchema },
    handle: async ({ sql, caller, params }) => {
      const row = await findGroup(sql, caller.projectId, params.id);
      if (row === null) throw new Problem('not_found');
      return { status: 200, body: viewGroup(row) };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/alert-groups/{id}/acknowledge',
    summary: 'Acknowledge all open alerts of a group',
    tag,
    scope: 'alerts:write',
    params,
    answers: { 200: groupSchema },
    audit: ['alert_group.acknowledged'],
    handle: async ({ sql, caller, params, nowMs, record }) => {
      const { projectId, actor } = caller;
      const row = await findGroup(sql, projectId, params.id);
      if (row === null) throw new Problem('not_found');
      if (row.ended_at !== null) throw new Problem('alert_resolved');
      await acknowledgeGroup(sql, { projectId, groupId: row.id }, actor, nowMs, record);
      return { status: 200, body: viewGroup(row) };
    },
  }),
];
