import { agentEndpoints } from './agents/routes.ts';
import { alertEndpoints } from './alerts/routes.ts';
import { checkEndpoints } from './checks/routes.ts';
import { componentEndpoints } from './components/routes.ts';
import type { Endpoint } from './http/endpoint.ts';
import { incidentEndpoints } from './incidents/routes.ts';
import type { MonitorServices } from './monitors/create.ts';
import { monitorEndpoints } from './monitors/routes.ts';
import { projectEndpoints } from './projects/routes.ts';
import { statusPageEndpoints } from './status-pages/routes.ts';
import { uptimeEndpoints } from './uptime/routes.ts';

/** Every endpoint of the API that takes a token. */
export function allEndpoints(services: MonitorServices & { baseUrl: string }): readonly Endpoint[] {
  return [
    ...projectEndpoints,
    ...componentEndpoints,
    ...monitorEndpoints(services),
    ...checkEndpoints,
    ...uptimeEndpoints,
    ...alertEndpoints,
    ...incidentEndpoints(services),
    ...statusPageEndpoints(services),
    ...agentEndpoints,
  ];
}
