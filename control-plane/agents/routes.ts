import { z } from 'zod';
import { allows, type Endpoint, endpoint } from '../http/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../http/pagination.ts';
import { agentSchema, regionSchema, viewAgent } from './agent.ts';
import { listAgents, listRegions } from './store.ts';

export const agentEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/regions',
    summary: 'List the regions a monitor can run from, by code',
    tag: 'Agents',
    scope: 'monitors:read',
    query: z.strictObject(pageParameters),
    answers: { 200: listOf(regionSchema) },
    handle: async ({ sql, caller, query }) => {
      const rows = await listRegions(sql, caller.projectId, readPage('regions', query));
      return {
        status: 200,
        body: pageOf(
          'regions',
          query,
          rows,
          row => [0, row.code],
          row => row,
        ),
      };
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
      const shared = allows(caller.scopes, 'agents:operate');
      const rows = await listAgents(sql, caller.projectId, shared, query.region ?? null, readPage('agents', query));
      return { status: 200, body: pageOf('agents', query, rows, row => [row.created_at, row.id], viewAgent) };
    },
  }),
];
