import type { Endpoint } from '../platform/http/endpoint/endpoint.ts';
import { type ChangeServices, changeEndpoints } from './changes/routes.ts';
import { monitorMetricsEndpoints } from './monitor-metrics/routes.ts';
import { overviewEndpoints } from './overview/routes.ts';
import { wallEndpoints } from './walls/routes.ts';

export type WebServices = Parameters<typeof wallEndpoints>[0] & { changes: ChangeServices };

/** The API of this wing. */
export function webEndpoints(services: WebServices): readonly Endpoint[] {
  return [
    ...overviewEndpoints,
    ...changeEndpoints(services.changes),
    ...wallEndpoints(services),
    ...monitorMetricsEndpoints(),
  ];
}
