import { type Endpoint, stepEndpoint } from '../../platform/http/endpoint/endpoint.ts';
import { monitorTestSchema } from '../monitors/monitor.ts';
import { wholeTest } from '../monitors/shown-url.ts';
import { validateMonitorTest } from '../monitors/validate.ts';
import { evaluateTest } from './evaluate.ts';
import { testAnswerSchema } from './probe.ts';
import { type ProbeServices, runTest } from './run.ts';

export function probeEndpoints(services: ProbeServices): readonly Endpoint[] {
  return [
    stepEndpoint({
      method: 'post',
      path: '/v0/monitors/test',
      operation: 'testMonitor',
      summary:
        'Test monitor settings without storing them, in up to eight regions or by stored events; ten times a minute',
      tag: 'Monitors',
      scope: 'monitors:write',
      body: monitorTestSchema,
      check: (fields, { sql, caller, sent }) => validateMonitorTest(sql, services, { ...caller, sent }, fields),
      answers: { 200: testAnswerSchema },
      changesNothing: () => true,
      handle: async ({ caller: { projectId }, body, transact, now }) => ({
        status: 200,
        body: {
          data:
            body.kind === 'events'
              ? await evaluateTest(services, projectId, body, { transact, now })
              : await runTest(services, projectId, wholeTest(body), { transact, now }),
        },
      }),
    }),
  ];
}
