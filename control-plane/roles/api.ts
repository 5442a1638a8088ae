import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import type Koa from 'koa';
import { createIngest } from '../analytics/events/create-ingest.ts';
import type { IngestTallies } from '../analytics/events/tally.ts';
import type { EventWriter } from '../analytics/events/writer.ts';
import type { createClients } from '../delivery/notifications/start.ts';
import type { Wakers } from '../monitoring/probes/wakers.ts';
import { addHookRoutes } from '../on-call/acknowledgements/hook-routes.ts';
import { addLinkRoutes } from '../on-call/acknowledgements/public-routes.ts';
import { serviceAddresses } from '../on-call/channels/types/service-addresses.ts';
import { createRecordChange } from '../platform/audit/record.ts';
import { createSecretHash } from '../platform/audit/sealed.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { createApp } from '../platform/http/app.ts';
import { apiBodyBudget, formBodyBudget } from '../platform/http/bodies/body-budget.ts';
import type { Endpoint } from '../platform/http/endpoint/endpoint.ts';
import { createCallerKey } from '../platform/http/limits/caller-address.ts';
import { chargeCaller, chargeRequest } from '../platform/http/limits/rate-limit.ts';
import { Problem } from '../platform/http/problem.ts';
import { version } from '../platform/http/version.ts';
import { addReference } from '../platform/openapi/routes.ts';
import { authenticate } from '../platform/projects/authenticate.ts';
import { createPepper } from '../platform/secrets/pepper-store.ts';
import { createRequestShares } from '../platform/shares/request-shares.ts';
import { publicPageRoutes } from '../publishing/status-pages/public-routes.ts';
import type { Previewer } from '../publishing/status-pages/publish/previewer.ts';
import { createAddressHash } from '../publishing/subscribers/address-hash.ts';
import { addSubscriberRoutes } from '../publishing/subscribers/public-routes.ts';
import { addClientRoutes } from '../web/browser-client/routes.ts';
import type { ChangeFeed } from '../web/changes/feed.ts';
import { addDashboard, dashboardVersion } from '../web/dashboard/routes.ts';
import { callerOf } from '../web/dashboard/sessions.ts';
import { addScreenRoutes } from '../web/walls/screen-routes.ts';
import { allEndpoints } from './endpoints.ts';
import type { RoleServices } from './role.ts';
import { readinessOf } from './storage.ts';

export type ApiServices = RoleServices & {
  eventWriter: EventWriter;
  tallies: IngestTallies;
  clients: ReturnType<typeof createClients>;
  wakers: Wakers;
  changes: ChangeFeed;
  previewer: Previewer;
};

/** Tests of channels of one project, and apart from them of monitors. */
const testRate = { perMinute: 10, burst: 10 };
/** Emails that ask addresses to confirm which a project's tokens name: of channels, and of subscribers. */
const confirmationRate = { perMinute: 2, burst: 100 };
/** Sign-ins to the dashboard from one address. */
const signInRate = { perMinute: 10, burst: 20 };
/** Refused sign-ins that are recorded: nobody may fill the audit from many addresses. */
const refusalRate = { perMinute: 60, burst: 300 };

/** Everything that is served over HTTP: the API, the dashboard, the public pages and the browser client. */
export function openApi(services: ApiServices): { app: Koa; endpoints: readonly Endpoint[] } {
  const { config, pools, storage, keyring, hooks, pages, clock } = services;
  const { publicUrl: baseUrl } = config;
  const callerKey = createCallerKey(keyring, config.trustedProxies);
  const secure = baseUrl.startsWith('https:');
  const identify = (header: string | undefined) => authenticate(sqlOf(pools.front), header, clock.now());
  const common = commonServices(services);
  const hashAddress = createAddressHash(createPepper(sqlOf(pools.front), keyring));
  const chargeConfirmation = (projectId: string) =>
    chargeRequest(sqlOf(pools.front), `channel-confirmation ${projectId}`, confirmationRate);
  const subscribing = { keyring, hashAddress, hooks: hooks.subscribers, chargeConfirmation };
  const canMail = config.smtpUrl !== null;
  const forms = formBodyBudget();
  const { connections } = common.shares.api;
  const dashboard = {
    sql: sqlOf(pools.front),
    keyring,
    clock,
    secure,
    authenticate: identify,
    callerKey,
    forms,
    pool: pools.front,
    recordChange: common.recordChange,
    mayRecordRefusal: () => isWithin(chargeRequest(sqlOf(pools.front), 'refused sign-ins', refusalRate)),
    charge: (caller: string) => chargeRequest(sqlOf(pools.front), `sign-in ${caller}`, signInRate),
  };
  const authenticateCaller = (headers: IncomingHttpHeaders) => callerOf(headers, dashboard);
  const ingest = createIngest(
    { ...services, outlivesDatabase: services.broker !== null },
    common.shares.api,
    callerKey,
  );
  const endpoints = allEndpoints({
    canMail,
    preview: request => services.previewer.render(request),
    keyring,
    hooks: hooks.monitors,
    baseUrl,
    reachable: config.outboundPolicy,
    subscribing,
    channels: {
      ...services.clients,
      keyring,
      hashAddress,
      baseUrl,
      reachable: config.outboundPolicy,
      mailDomains: config.channelMailDomains,
      addresses: serviceAddresses(config),
      chargeConfirmation,
      chargeTest: projectId => chargeRequest(sqlOf(pools.front), `channel-test ${projectId}`, testRate),
    },
    probes: {
      keyring,
      wakers: services.wakers,
      chargeTest: projectId => chargeRequest(sqlOf(pools.front), `monitor-test ${projectId}`, testRate),
    },
    ingest,
    releases: { hooks: hooks.releases, series: storage.series, limiter: ingest.limiter },
    changes: {
      feed: services.changes,
      authenticate: authenticateCaller,
      charge: caller => chargeCaller(sqlOf(pools.front), caller, common.rateLimit),
    },
  });
  const app = createApp(endpoints, {
    ...common,
    authenticate: authenticateCaller,
    publicRoutes: [
      router => addDashboard(router, dashboard),
      router => addHookRoutes(router, { keyring, pools, clock, callerKey, forms }),
      router => addLinkRoutes(router, { keyring, pools, clock, callerKey, forms }),
      router => addSubscriberRoutes(router, { ...subscribing, pools, clock, callerKey, canMail, forms, connections }),
      router => addScreenRoutes(router, { ...common, callerKey, pageVersion: dashboardVersion }),
      addClientRoutes,
      router => addReference(router, endpoints, { baseUrl, version }),
      publicPageRoutes(pages),
    ],
  });
  return { app, endpoints };
}

/** What a process without the front role serves: health, metrics and the pages of problems. */
export function openHealth(services: RoleServices): RequestListener {
  const { pools, clock } = services;
  const authenticateCaller = () => authenticate(sqlOf(pools.front), undefined, clock.now());
  return createApp([], {
    ...commonServices(services),
    authenticate: authenticateCaller,
    publicRoutes: [],
  }).callback();
}

function commonServices({ config, pools, storage, keyring, broker, clock, log, metrics, writers }: RoleServices) {
  return {
    pools,
    keyring,
    clock,
    log,
    metrics,
    baseUrl: config.publicUrl,
    metricsToken: config.metricsToken,
    shares: createRequestShares(),
    bodies: apiBodyBudget(),
    recordChange: createRecordChange(createSecretHash(createPepper(sqlOf(pools.front), keyring)), sqlOf(pools.front)),
    rateLimit: { perMinute: config.rateLimitPerMinute, burst: config.rateLimitBurst },
    readiness: readinessOf({
      pools,
      edition: storage.edition,
      roles: config.roles,
      clock,
      writers,
      commits: metrics.commits,
      outlivesDatabase: broker !== null,
    }),
  };
}

/** False if the rate is exceeded. */
async function isWithin(charge: Promise<unknown>): Promise<boolean> {
  try {
    await charge;
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'rate_limited') return false;
    throw error;
  }
}
