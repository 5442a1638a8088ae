import { dayMs } from '#shared/duration.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { createPepper } from '../platform/secrets/pepper-store.ts';
import type { ApiServices, Served, Wing } from '../platform/services.ts';
import { publishingEndpoints } from './endpoints.ts';
import { purgeIncidents } from './incidents/deleted-store.ts';
import { findTimes, listGrave } from './incidents/times-store.ts';
import { createMembersChanged } from './members-changed.ts';
import { listOpenImpacts, purgeComponents } from './status-pages/component-store.ts';
import { purgeStatusPages } from './status-pages/deleted-store.ts';
import { createLookUp } from './status-pages/domains/look-up.ts';
import { purgeDomains } from './status-pages/domains/store.ts';
import type { Gatekeeper } from './status-pages/gate/gatekeeper.ts';
import { addTicketRoutes, type TicketServices } from './status-pages/gate/ticket-routes.ts';
import { publicPageRoutes } from './status-pages/public-routes.ts';
import type { Previewer } from './status-pages/publish/previewer.ts';
import { requestPublications } from './status-pages/publish/request-publication.ts';
import { listScopePages, unknownPages } from './status-pages/scope-store.ts';
import type { PublishedPages } from './status-pages/serve/published-pages.ts';
import { releaseSlugs } from './status-pages/slug-store.ts';
import { createAddressHash } from './subscribers/address-hash.ts';
import { confirmationCharge } from './subscribers/charge-confirmation.ts';
import { deleteConfirmationsBefore } from './subscribers/confirmation-store.ts';
import { requireDeliveries } from './subscribers/delivery-budget-store.ts';
import type { SubscriberHooks } from './subscribers/hooks.ts';
import { addSubscriberRoutes } from './subscribers/public-routes.ts';
import { deleteUnconfirmed } from './subscribers/store.ts';
import { publishingTimers } from './timers.ts';

type PublishingApi = ApiServices & {
  hooks: { subscribers: SubscriberHooks };
  canMail: boolean;
  previewer: Previewer;
  pages: PublishedPages;
  gatekeeper: Gatekeeper;
  dnsServers: readonly string[];
};

export const publishing = {
  createMembersChanged,
  incidents: { findTimes, listGrave },
  pages: { unknownPages, listScopePages, requireDeliveries, listOpenImpacts },
  serve: (services: PublishingApi, authenticate: TicketServices['authenticate']): Served => {
    const {
      pools,
      keyring,
      clock,
      baseUrl,
      callerKey,
      bulkheads,
      forms,
      hooks,
      canMail,
      previewer,
      pages,
      gatekeeper,
      dnsServers,
    } = services;
    const front = sqlOf(pools.front);
    const subscribing = {
      keyring,
      hashAddress: createAddressHash(createPepper(front, keyring)),
      hooks: hooks.subscribers,
      chargeConfirmation: confirmationCharge(front),
    };
    const { connections } = bulkheads.api;
    return {
      endpoints: publishingEndpoints({
        baseUrl,
        canMail,
        keyring,
        preview: request => previewer.render(request),
        subscribing,
        lookUp: createLookUp(dnsServers, baseUrl),
        pool: pools.background,
      }),
      routes: [
        router =>
          addSubscriberRoutes(router, {
            ...subscribing,
            gatekeeper,
            pools,
            clock,
            callerKey,
            canMail,
            forms,
            connections,
          }),
        publicPageRoutes(pages, baseUrl),
        router => addTicketRoutes(router, { pools, keyring, clock, baseUrl, authenticate }),
      ],
    };
  },
  timers: publishingTimers,
  retention: () => [
    { name: 'unconfirmed subscribers', keepMs: 7 * dayMs, run: deleteUnconfirmed },
    { name: 'page_domains', keepMs: 30 * dayMs, run: purgeDomains },
    { name: 'status_page_slugs', keepMs: 0, run: releaseSlugs },
    { name: 'confirmations', keepMs: 365 * dayMs, run: deleteConfirmationsBefore },
    { name: 'deleted incidents', keepMs: 30 * dayMs, run: purgeIncidents },
    { name: 'deleted components', keepMs: 30 * dayMs, run: purgeComponents },
    { name: 'deleted status pages', keepMs: 30 * dayMs, run: purgeStatusPages },
  ],
  onFact: (sql, fact, { clock }) => requestPublications(sql, fact, clock.now()),
} satisfies Wing & Record<string, unknown>;
