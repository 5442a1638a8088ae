import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findProject } from '../../platform/projects/store.ts';
import { compareSides, findNewErrors } from './compare-sides.ts';
import { eventsMax, readImpact } from './impact.ts';
import type { Incidents } from './incidents.ts';
import { impactQuery, impactSchema, releaseComparisonSchema } from './schema.ts';
import { findCandidate } from './store.ts';
import { type Span, sidesOf } from './windows.ts';

const retentionDaysDefault = 30;

export const impactEndpoints = (incidents: Incidents): readonly Endpoint[] => [
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
      const incident = await incidents.findTimes(sql, caller.projectId, params.id);
      if (incident === null) throw new Problem('not_found');
      const project = await findProject(sql, caller.projectId);
      const request = {
        projectId: caller.projectId,
        incident,
        incidents,
        errors: query.errors ?? null,
        environment: query.environment,
        lookbackMinutes: query.lookback_minutes,
        retentionDays: project?.event_retention_days ?? retentionDaysDefault,
      };
      return { status: 200, body: await readImpact(sql, request, nowMs) };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/releases/{id}/comparison',
    summary: 'Compare the users with errors in the hour before a release and in the hour after it',
    operation: 'compareRelease',
    tag: 'Releases',
    scope: 'releases:read',
    secondScope: 'events:read',
    pool: 'reports',
    params: z.object({ id: z.string().max(40) }),
    answers: { 200: releaseComparisonSchema },
    handle: async ({ sql, caller, params, nowMs }) => {
      const { projectId } = caller;
      const release = await findCandidate(sql, projectId, params.id);
      if (release === null) throw new Problem('not_found');
      const project = await findProject(sql, projectId);
      const keptFromMs = nowMs - (project?.event_retention_days ?? retentionDaysDefault) * dayMs;
      const { before, after } = sidesOf(release.released_at, { ...release, nowMs });
      const scope = { projectId, errors: null, keptFromMs, nowMs };
      const budget = { left: eventsMax };
      const compared = await compareSides(sql, scope, release, 1, budget);
      const body = {
        release_id: release.id,
        computed_at: toTimestamp(nowMs),
        before_window: viewSpan(before),
        after_window: viewSpan(after),
        ...compared,
        new_errors: compared.before === null ? [] : await findNewErrors(sql, scope, release, budget),
      };
      return { status: 200, body };
    },
  }),
];

function viewSpan({ fromMs, toMs }: Span): { from: string; to: string } {
  return { from: toTimestamp(fromMs), to: toTimestamp(toMs) };
}
