import { sqlOf } from '../platform/db/sql.ts';
import type { Endpoint } from '../platform/http/endpoint/endpoint.ts';
import { createPepper } from '../platform/secrets/pepper-store.ts';
import type { ApiServices, Served, Wing } from '../platform/services.ts';
import { exportEndpoints } from './export/routes.ts';
import { managerEndpoints } from './owners/managers.ts';
import { ownerEndpoints } from './owners/routes.ts';
import { showingOwners } from './owners/show-owners.ts';
import { takingKey } from './owners/taking-key.ts';
import { applyEndpoints } from './plans/apply-routes.ts';
import { planEndpoints } from './plans/plan-routes.ts';
import { deletePlansBefore } from './plans/store.ts';
import { addSchemaRoute } from './schema/routes.ts';

export const configuration = {
  /** `endpoints`: all others, which this wing plans and writes by, and which show what it manages. */
  serve: ({ pools, keyring, baseUrl }: ApiServices, endpoints: readonly Endpoint[]): Required<Served> => {
    const shown = endpoints.map(showingOwners);
    const pepper = createPepper(sqlOf(pools.front), keyring);
    const services = { keyring, pepper, endpoints: shown, baseUrl };
    return {
      endpoints: [
        ...endpoints.map(takingKey).map(showingOwners),
        ...planEndpoints(services),
        ...applyEndpoints(services),
        ...ownerEndpoints,
        ...managerEndpoints,
        ...exportEndpoints(services),
      ],
      routes: [router => addSchemaRoute(router, shown, baseUrl)],
    };
  },
  retention: () => [{ name: 'config_plans', keepMs: 0, run: deletePlansBefore }],
} satisfies Wing & Record<string, unknown>;
