import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { AddressPolicy } from '#shared/network/guard.ts';
import { queryNameServers, Resolver } from '#shared/network/resolver.ts';
import type { Pools } from '../db/pool.ts';
import { sqlOf } from '../db/sql.ts';
import type { Metrics } from '../http/metrics.ts';
import { createOutbound } from '../http/outbound.ts';
import { version } from '../http/version.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { createMailer, type DkimKey } from './email/send.ts';
import { type Notifier, startNotifier } from './notifier.ts';

/** The part of the configuration that notifications need. */
export type NotificationSettings = {
  /** Null: emails are held. */
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

/** Starts sending emails, webhooks and Slack messages; stop it before the pools end. */
export function startNotifications(settings: NotificationSettings, services: NotificationServices): Notifier {
  const { pools, ...rest } = services;
  const { smtpUrl, mailFrom, dkim, slackApiUrl, publicUrl: baseUrl, outboundPolicy: policy, dnsServers } = settings;
  if (smtpUrl === null) services.log.warn('SMTP_URL is not set: emails are held until they are replayed');
  return startNotifier({
    ...rest,
    sql: sqlOf(pools.background),
    mailer: smtpUrl === null ? null : createMailer(smtpUrl, mailFrom, dkim),
    outbound: createOutbound({
      resolver: new Resolver(queryNameServers(dnsServers)),
      policy,
      userAgent: `Upquorum/${version} (+${baseUrl})`,
    }),
    baseUrl,
    slackApiUrl,
  });
}
