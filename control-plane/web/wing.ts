import type { IncomingHttpHeaders } from 'node:http';
import { sqlOf } from '../platform/db/sql.ts';
import type { Caller } from '../platform/http/endpoint/caller.ts';
import { chargeCaller } from '../platform/http/limits/rate-limit.ts';
import type { ApiServices, Served } from '../platform/services.ts';
import { addClientRoutes } from './browser-client/routes.ts';
import type { ChangeFeed } from './changes/feed.ts';
import { addCommandLineRoute } from './command-line/routes.ts';
import { addDashboard, dashboardVersion } from './dashboard/routes.ts';
import { webEndpoints } from './endpoints.ts';
import { addScreenRoutes } from './walls/screen-routes.ts';

type WebApi = ApiServices & { changes: ChangeFeed };
/** Who calls by a token or by a session of the dashboard. */
type Authenticate = (headers: IncomingHttpHeaders) => Promise<Caller>;

export const web = {
  serve: (services: WebApi, authenticate: Authenticate): Served => {
    const { pools, clock, callerKey, bulkheads, rateLimit, baseUrl, changes } = services;
    const charge = (caller: Caller) => chargeCaller(sqlOf(pools.front), caller, rateLimit);
    const screens = { pools, bulkheads, clock, callerKey, pageVersion: dashboardVersion };
    return {
      endpoints: webEndpoints({ baseUrl, changes: { feed: changes, authenticate, charge } }),
      routes: [addDashboard, router => addScreenRoutes(router, screens), addClientRoutes, addCommandLineRoute],
    };
  },
};
