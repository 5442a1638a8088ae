import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findProject } from '../../platform/projects/store.ts';
import { readRetention } from './retention.ts';
import { retentionQuery, retentionSchema } from './schema.ts';

export const cohortEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/retention',
    summary: 'Count how many users of a day or week come back in the ones after it',
    tag: 'Events',
    scope: 'events:read',
    pool: 'reports',
    query: retentionQuery,
    answers: { 200: retentionSchema },
    handle: async ({ sql, caller: { projectId }, query, nowMs }) => {
      const project = await findProject(sql, projectId);
      if (project === null) throw new Problem('not_found');
      const request = { projectId, query, retentionDays: project.event_retention_days, nowMs };
      return { status: 200, body: await readRetention(sql, request) };
    },
  }),
];
