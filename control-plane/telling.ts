import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { askNameServers, Resolver } from '#shared/network/resolver.ts';
import type { ControlPlaneConfig } from './config.ts';
import type { Pools } from './db/pool.ts';
import { sqlOf } from './db/sql.ts';
import type { Metrics } from './http/metrics.ts';
import { createOutbound } from './http/outbound.ts';
import { version } from './http/version.ts';
import { type Notifier, startNotifier } from './notifications/notifier.ts';
import { createMailer } from './notifications/send-mail.ts';
import type { Keyring } from './secrets/keyring.ts';

export type TellingServices = { pools: Pools; keyring: Keyring; clock: Clock; log: Logger; metrics: Metrics };

/** Puts together what tells people: mail, webhooks and Slack. */
export function startTelling(config: ControlPlaneConfig, services: TellingServices): Notifier {
  const { pools, ...rest } = services;
  const { smtpUrl, outboundPolicy: policy, publicUrl: baseUrl } = config;
  if (smtpUrl === null) services.log.warn('SMTP_URL is not set: mails are held and shown as not sent');
  return startNotifier({
    ...rest,
    sql: sqlOf(pools.background),
    mailer: smtpUrl === null ? null : createMailer(smtpUrl, config.mailFrom),
    outbound: createOutbound({
      resolver: new Resolver(askNameServers(config.dnsServers)),
      policy,
      userAgent: `Upquorum/${version} (+${baseUrl})`,
    }),
    baseUrl,
    slackApiUrl: config.slackApiUrl,
  });
}
