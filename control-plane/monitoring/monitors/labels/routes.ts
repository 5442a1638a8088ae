import { z } from 'zod';
import { type Endpoint, endpoint } from '../../../platform/http/endpoint/endpoint.ts';
import { listLabels } from './store.ts';

const count = z.int().describe('Number of monitors that have the label.');

const labelsSchema = z.object({
  data: z.array(
    z.object({ key: z.string(), monitors: count, values: z.array(z.object({ value: z.string(), monitors: count })) }),
  ),
});

export const labelEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/labels',
    summary: 'List the labels of monitors, most used first: at most 200 keys with 100 values each',
    tag: 'Monitors',
    scope: 'monitors:read',
    answers: { 200: labelsSchema },
    handle: async ({ sql, caller }) => ({ status: 200, body: { data: await listLabels(sql, caller.projectId) } }),
  }),
];
