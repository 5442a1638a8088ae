import { z } from 'zod';
import { isUniqueViolation } from '../../platform/db/errors.ts';
import { allows, type Caller } from '../../platform/http/endpoint/caller.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { fieldProblem, Problem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import { monitoringCounts } from '../quotas/store.ts';
import { agentPostSchema, agentSchema, regionDetailsSchema, viewAgent, viewRegionDetails } from './agent.ts';
import { enrollAgent } from './enroll.ts';
import { isRegionOf, listRegionDetails } from './region-store.ts';
import { findAgent, listAgents, lockAgent, revokeAgent } from './store.ts';

export const agentEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/regions',
    summary: 'List the regions a monitor can run from, by code, and their state for this project',
    tag: 'Agents',
    scope: 'monitors:read',
    query: z.strictObject(pageParameters),
    answers: { 200: listOf(regionDetailsSchema) },
    handle: async ({ sql, caller, query, nowMs }) => {
      const rows = await listRegionDetails(sql, caller.projectId, nowMs, readPage('regions', query));
      return { status: 200, body: pageOf('regions', query, rows, row => [0, row.code], viewRegionDetails) };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/agents',
    summary: 'List agents of private regions, and of shared ones with the scope agents:operate',
    tag: 'Agents',
    scope: 'agents:read',
    query: z.strictObject({ ...pageParameters, region: z.string().max(64).optional() }),
    answers: { 200: listOf(agentSchema) },
    handle: async ({ sql, caller, query }) => {
      const { shared } = reachOf(caller);
      const rows = await listAgents(sql, caller.projectId, shared, query.region ?? null, readPage('agents', query));
      return { status: 200, body: pageOf('agents', query, rows, row => [row.created_at, row.id], viewAgent) };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/agents',
    summary: 'Create an agent of a private region, or of a shared one with the scope agents:operate',
    tag: 'Agents',
    scope: 'agents:write',
    body: agentPostSchema,
    answers: { 201: agentSchema },
    audit: ['agent.created'],
    handle: async ({ sql, caller, body: { region, name }, nowMs, record }) => {
      await requireQuota(sql, caller.projectId, monitoringCounts.agents);
      const unknown = () => fieldProblem('/region', 'unknown_reference', 'is not a region of this project');
      if (!(await isRegionOf(sql, reachOf(caller), region))) throw unknown();
      const enrolled = await enrollAgent(sql, region, name, nowMs).catch(error => {
        throw isUniqueViolation(error) ? new Problem('name_taken') : error;
      });
      const row = enrolled === null ? null : await lockAgent(sql, reachOf(caller), enrolled.id);
      if (enrolled === null || row === null) throw unknown();
      await record({ action: 'agent.created', subject: row.id, name, before: null, after: { region, name } });
      const headers = { Location: `/v0/agents/${row.id}` };
      return { status: 201, body: { ...viewAgent(row), secret: enrolled.secret }, headers };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/agents/{id}',
    summary: 'Get an agent that is not revoked',
    tag: 'Agents',
    scope: 'agents:read',
    params: z.object({ id: z.string().max(40) }),
    answers: { 200: agentSchema },
    handle: async ({ sql, caller, params }) => {
      const row = await findAgent(sql, reachOf(caller), params.id);
      if (row === null) throw new Problem('not_found');
      return { status: 200, body: viewAgent(row) };
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v0/agents/{id}',
    summary: 'Revoke an agent; it is disconnected at once and permanently',
    operation: 'revokeAgent',
    tag: 'Agents',
    scope: 'agents:write',
    params: z.object({ id: z.string().max(40) }),
    answers: { 204: null },
    audit: ['agent.revoked'],
    handle: async ({ sql, caller, params, nowMs, record }) => {
      const row = await lockAgent(sql, reachOf(caller), params.id);
      if (row === null || !(await revokeAgent(sql, row.id, nowMs))) throw new Problem('not_found');
      const change = { before: { revoked: false }, after: { revoked: true } };
      await record({ action: 'agent.revoked', subject: row.id, name: row.name, ...change });
      return { status: 204 };
    },
  }),
];

/** The agents that a caller may see and change: those of its project, and the shared ones for the operator. */
function reachOf({ projectId, scopes }: Caller): { projectId: string; shared: boolean } {
  return { projectId, shared: allows(scopes, 'agents:operate') };
}
