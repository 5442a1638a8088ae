import { z } from 'zod';
import { findAlert } from '../../monitoring/alerts/store.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import { explain } from './explain.ts';
import { explanationSchema } from './explanation.ts';
import { readEvidence } from './explanation-store.ts';

export const explanationEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/alerts/{id}/explanation',
    summary: 'Explain why an alert opened',
    tag: 'Alerts',
    scope: 'alerts:read',
    params: z.object({ id: z.string().max(40) }),
    answers: { 200: explanationSchema },
    handle: async ({ sql, caller, params }) => {
      const alert = await findAlert(sql, caller.projectId, params.id);
      if (alert === null) throw new Problem('not_found');
      return { status: 200, body: explain(await readEvidence(sql, alert)) };
    },
  }),
];
