import { type Endpoint, stepEndpoint } from '../../../platform/http/endpoint/endpoint.ts';
import type { MonitorServices } from '../configure.ts';
import { bulkAnswerSchema, bulkErrors, bulkSchema } from './bulk.ts';
import { runBulk } from './run.ts';

export function bulkEndpoints(services: MonitorServices): readonly Endpoint[] {
  return [
    stepEndpoint({
      method: 'post',
      path: '/v0/monitors/bulk',
      summary: 'Pause, resume, delete, label, patch or check up to 500 monitors; `dry_run` says what the call would do',
      operation: 'bulkChangeMonitors',
      tag: 'Monitors',
      scope: 'monitors:write',
      body: bulkSchema,
      check: async fields => bulkErrors(fields),
      answers: { 200: bulkAnswerSchema },
      changesNothing: ({ body }) => body.dry_run,
      audit: ['monitor.updated', 'monitor.paused', 'monitor.resumed', 'monitor.deleted'],
      via: 'bulk',
      handle: request => runBulk(services, request),
    }),
  ];
}
