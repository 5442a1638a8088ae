import type { Endpoint } from './http/endpoint/endpoint.ts';
import { auditEndpoints } from './projects/audit-routes.ts';
import { projectEndpoints } from './projects/routes.ts';

/** The API of this wing. */
export const platformEndpoints: readonly Endpoint[] = [...projectEndpoints, ...auditEndpoints];
