import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { AddressPolicy } from '#shared/network/guard.ts';
import { resolverOf } from '#shared/network/name-servers.ts';
import { createRecordChange } from '../../platform/audit/record.ts';
import { createSecretHash } from '../../platform/audit/sealed.ts';
import type { Pools } from '../../platform/db/pool.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import { createOutbound, type Outbound } from '../../platform/http/outbound.ts';
import { version } from '../../platform/http/version.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { createPepper } from '../../platform/secrets/pepper-store.ts';
import { createAddressHash } from '../../publishing/subscribers/address-hash.ts';
import { createMailer, type DkimKey, type Mailer, type RelayWatch } from '../transports/email/send.ts';
import { createBriefRendering } from './email/brief-rendering.ts';
import { createRelayWatch } from './email/relay-watch.ts';
import { type Notifier, startNotifier } from './notifier.ts';
import type { Recipient } from './recipients/recipient.ts';

/** The part of the configuration that notifications need. */
export type NotificationSettings = {
  /** Null: emails are on hold. */
  smtpUrl: string | null;
  mailFrom: string;
  /** Null: emails are not signed here. */
  dkim: DkimKey | null;
  slackApiUrl: string;
  publicUrl: string;
  outboundPolicy: AddressPolicy;
  dnsServers: readonly string[];
};

export type NotificationServices = { pools: Pools; keyring: Keyring; clock: Clock; log: Logger; metrics: Metrics };

/**
 * The clients that everything is sent with; `relay` sees what becomes of emails. The mailer is null without an SMTP
 * server, and closed by who made it.
 */
export function createClients(
  settings: NotificationSettings,
  relay: RelayWatch | null = null,
): { mailer: Mailer | null; outbound: Outbound } {
  const { smtpUrl, mailFrom, dkim, publicUrl, outboundPolicy: policy, dnsServers } = settings;
  const userAgent = `Upquorum/${version} (+${publicUrl})`;
  return {
    mailer: smtpUrl === null ? null : createMailer(smtpUrl, mailFrom, dkim, relay),
    outbound: createOutbound({ resolver: resolverOf(dnsServers), policy, userAgent }),
  };
}

/** Starts sending emails, webhooks and messages to channels; stop it before the pools end. */
export function startNotifications(
  settings: NotificationSettings,
  services: NotificationServices,
  alertChannels: (clients: ReturnType<typeof createClients>) => Recipient,
): Notifier {
  const { pools, ...rest } = services;
  const { smtpUrl, slackApiUrl, publicUrl: baseUrl } = settings;
  if (smtpUrl === null) services.log.warn('SMTP_URL is not set: emails are held until they are replayed');
  const sql = sqlOf(pools.background);
  const pepper = createPepper(sql, rest.keyring);
  const hashAddress = createAddressHash(pepper);
  const clients = createClients(settings, createRelayWatch({ ...rest, pool: pools.background, hashAddress }));
  return startNotifier({
    ...rest,
    ...clients,
    sql,
    transact: work => transaction(pools.background, work),
    recordChange: createRecordChange(createSecretHash(pepper), sql),
    baseUrl,
    render: createBriefRendering(),
    slackApiUrl,
    alertChannels: alertChannels(clients),
  });
}
