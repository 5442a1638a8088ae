import { agentEndpoints } from './agents/routes.ts';
import { alertEndpoints } from './alerts/routes.ts';
import { checkEndpoints } from './checks/routes.ts';
import type { IngestServices } from './events/ingest.ts';
import { eventEndpoints } from './events/routes.ts';
import { flowEndpoints } from './flows/routes.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { MonitorServices } from './monitors/create.ts';
import { monitorEndpoints } from './monitors/routes.ts';
import { projectEndpoints } from './projects/routes.ts';
import type { ReleaseServices } from './releases/post-release.ts';
import { releaseEndpoints } from './releases/routes.ts';
import { uptimeEndpoints } from './uptime/routes.ts';

/** Every endpoint of the API. */
export function allEndpoints(
  services: MonitorServices & { ingest: IngestServices; releases: ReleaseServices },
): readonly Endpoint[] {
  return [
    ...projectEndpoints,
    ...monitorEndpoints(services),
    ...checkEndpoints,
    ...uptimeEndpoints,
    ...alertEndpoints,
    ...agentEndpoints,
    ...eventEndpoints(services.ingest),
    ...releaseEndpoints(services.releases),
    ...flowEndpoints,
  ];
}
