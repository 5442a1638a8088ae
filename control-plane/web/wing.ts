import type { IncomingHttpHeaders } from 'node:http';
import { sqlOf } from '../platform/db/sql.ts';
import type { Caller } from '../platform/http/endpoint/endpoint.ts';
import { chargeCaller } from '../platform/http/limits/rate-limit.ts';
import type { ApiServices, Served, Wing } from '../platform/services.ts';
import { addClientRoutes } from './browser-client/routes.ts';
import type { ChangeFeed } from './changes/feed.ts';
import { deleteEndedBefore } from './dashboard/ended-session-store.ts';
import { addDashboard, dashboardVersion } from './dashboard/routes.ts';
import { dashboardServices } from './dashboard/services.ts';
import { callerOf } from './dashboard/sessions.ts';
import { webEndpoints } from './endpoints.ts';
import { addScreenRoutes } from './walls/screen-routes.ts';

type WebApi = ApiServices & {
  /** Who calls by a token. */
  authenticate(headers: IncomingHttpHeaders): Promise<Caller>;
  changes: ChangeFeed;
};

export const web = {
  /** `authenticate`: who calls by a token or by a session of the dashboard. */
  serve: (services: WebApi): Served & Pick<WebApi, 'authenticate'> => {
    const { pools, clock, callerKey, bulkheads, rateLimit, baseUrl, changes } = services;
    const dashboard = dashboardServices(services);
    const authenticate = (headers: IncomingHttpHeaders) => callerOf(headers, dashboard);
    const charge = (caller: Caller) => chargeCaller(sqlOf(pools.front), caller, rateLimit);
    const screens = { pools, bulkheads, clock, callerKey, pageVersion: dashboardVersion };
    return {
      authenticate,
      endpoints: webEndpoints({ baseUrl, changes: { feed: changes, authenticate, charge } }),
      routes: [router => addDashboard(router, dashboard), router => addScreenRoutes(router, screens), addClientRoutes],
    };
  },
  retention: () => [{ name: 'ended_sessions', keepMs: 0, run: deleteEndedBefore }],
} satisfies Wing & Record<string, unknown>;
