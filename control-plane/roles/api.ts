import type { RequestListener } from 'node:http';
import { createApiServices } from '../platform/api-services.ts';
import { createApp } from '../platform/http/app.ts';
import { Problem } from '../platform/http/problem.ts';
import { version } from '../platform/http/version.ts';
import { addReference } from '../platform/openapi/routes.ts';
import type { RoleServices } from './role.ts';
import { readinessOf } from './storage.ts';
import { type ServedServices, serveWings } from './wings.ts';

/** What a front opens for its API. */
type FrontParts = Pick<
  ServedServices,
  'clients' | 'waiters' | 'previewer' | 'changes' | 'eventWriter' | 'tallies' | 'pages' | 'signals'
>;

/** The HTTP interface of a front. */
export function openApi(services: RoleServices & FrontParts) {
  const { config, intake } = services;
  const common = commonServices(services);
  const { endpoints, routes, authenticate } = serveWings({
    ...services,
    ...common,
    reachable: config.outboundPolicy,
    asksRegistries: config.rdapBootstrapUrl !== null,
    canMail: config.smtpUrl !== null,
    dnsServers: config.dnsServers,
    signIn: config.signIn,
    outlivesDatabase: intake.outlivesDatabase,
  });
  const app = createApp(endpoints, {
    ...common,
    authenticate,
    publicRoutes: [...routes, router => addReference(router, endpoints, { baseUrl: common.baseUrl, version })],
  });
  return { app, endpoints };
}

/** What a process without the front role serves: health, metrics and the pages of problems. */
export function openHealth(services: RoleServices): RequestListener {
  return createApp([], { ...commonServices(services), authenticate: refuse, publicRoutes: [] }).callback();
}

/** Nobody calls what is not served. */
async function refuse(): Promise<never> {
  throw new Problem('missing_token');
}

function commonServices(services: RoleServices) {
  const { config, pools, storage, intake, clock, metrics, writers } = services;
  return {
    ...createApiServices(config, services),
    readiness: readinessOf({
      pools,
      edition: storage.edition,
      roles: config.roles,
      clock,
      writers,
      commits: metrics.commits,
      outlivesDatabase: intake.outlivesDatabase,
    }),
  };
}
