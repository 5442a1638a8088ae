import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { findProject } from '../projects/store.ts';
import { readImpact } from './impact.ts';
import { impactQuery, impactSchema } from './schema.ts';
import { findTimes } from './store.ts';

const retentionDaysDefault = 30;

export const impactEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/incidents/{id}/impact',
    summary: 'Estimate how many users an incident affected, and compare the releases that preceded it',
    tag: 'Incidents',
    scope: 'incidents:read',
    secondScope: 'events:read',
    pool: 'reports',
    params: z.object({ id: z.string().max(40) }),
    query: impactQuery,
    answers: { 200: impactSchema },
    handle: async ({ sql, caller, params, query, nowMs }) => {
      const incident = await findTimes(sql, caller.projectId, params.id);
      if (incident === null) throw new Problem('not_found');
      const project = await findProject(sql, caller.projectId);
      const request = {
        projectId: caller.projectId,
        incident,
        errors: query.errors ?? null,
        environment: query.environment,
        lookbackMinutes: query.lookback_minutes,
        retentionDays: project?.event_retention_days ?? retentionDaysDefault,
      };
      return { status: 200, body: await readImpact(sql, request, nowMs) };
    },
  }),
];
