import type { AddressPolicy } from '#shared/network/guard.ts';
import type { createClients } from '../delivery/notifications/start.ts';
import { type Sql, sqlOf } from '../platform/db/sql.ts';
import { chargeRequest } from '../platform/http/limits/rate-limit.ts';
import type { Keyring } from '../platform/secrets/keyring.ts';
import { createPepper } from '../platform/secrets/pepper-store.ts';
import type { ApiServices, Served, Services, Wing } from '../platform/services.ts';
import { createAddressHash } from '../publishing/subscribers/address-hash.ts';
import { confirmationCharge } from '../publishing/subscribers/charge-confirmation.ts';
import { addHookRoutes } from './acknowledgements/hook-routes.ts';
import { addLinkRoutes } from './acknowledgements/public-routes.ts';
import { wakeGroup } from './alert-groups/store.ts';
import { createChannelSender } from './channels/channel-sender.ts';
import { findChannel, readChannelNames } from './channels/store.ts';
import { channelTypeNames } from './channels/types/registry.ts';
import { serviceAddresses } from './channels/types/service-addresses.ts';
import { onCallEndpoints } from './endpoints.ts';
import { onCallRetention } from './retention.ts';
import { routeAlert } from './routing/route-alert.ts';
import { routeNotice } from './routing/route-notice.ts';
import { onCallTimers } from './timers.ts';

/** The part of the configuration that channels need. */
type ChannelSettings = Parameters<typeof serviceAddresses>[0] & {
  publicUrl: string;
  outboundPolicy: AddressPolicy;
  channelMailDomains: readonly string[];
};
type Clients = ReturnType<typeof createClients>;
type OnCallApi = ApiServices & { config: ChannelSettings; clients: Clients };

/** Of one project, apart from its tests of monitors. */
const testRate = { perMinute: 10, burst: 10 };

/** What sends messages to channels, with the clients of the delivery. */
function openChannelSender(settings: ChannelSettings, { pools, keyring, clock, log }: Services & { keyring: Keyring }) {
  const sql = sqlOf(pools.background);
  return (clients: Clients) =>
    createChannelSender({
      ...clients,
      sql,
      keyring,
      baseUrl: settings.publicUrl,
      addresses: serviceAddresses(settings),
      mailDomains: settings.channelMailDomains,
      wake: (projectId, groupId) => wakeGroup(sql, projectId, groupId, clock.now()),
      failing: async (project, { id, name }, isFailing) =>
        isFailing
          ? log.warn({ project, channel: id, name }, 'a channel is failing')
          : log.info({ project, channel: id, name }, 'channel recovered'),
    });
}

export const onCall = {
  channels: {
    types: channelTypeNames,
    exists: async (sql: Sql, projectId: string, id: string) => (await findChannel(sql, projectId, id)) !== null,
    readNames: readChannelNames,
  },
  serve: ({ pools, keyring, clock, callerKey, forms, config, clients }: OnCallApi): Served => {
    const front = sqlOf(pools.front);
    const links = { keyring, pools, clock, callerKey, forms };
    return {
      endpoints: onCallEndpoints({
        channels: {
          ...clients,
          keyring,
          hashAddress: createAddressHash(createPepper(front, keyring)),
          baseUrl: config.publicUrl,
          reachable: config.outboundPolicy,
          mailDomains: config.channelMailDomains,
          addresses: serviceAddresses(config),
          chargeConfirmation: confirmationCharge(front),
          chargeTest: projectId => chargeRequest(front, `channel-test ${projectId}`, testRate),
        },
      }),
      routes: [router => addHookRoutes(router, links), router => addLinkRoutes(router, links)],
    };
  },
  openChannelSender,
  timers: onCallTimers,
  retention: () => onCallRetention,
  onFact: async (sql, fact, { clock }) => {
    await routeAlert(sql, fact, clock.now());
    await routeNotice(sql, fact, clock.now());
  },
} satisfies Wing & Record<string, unknown>;
