import { resolverOf } from '#shared/network/name-servers.ts';
import { analytics } from '../analytics/wing.ts';
import { startNotifications } from '../delivery/notifications/start.ts';
import { recordServices } from '../monitoring/record-services.ts';
import { evaluationTimers } from '../monitoring/timers.ts';
import { onCall } from '../on-call/wing.ts';
import { createOutbound } from '../platform/http/outbound.ts';
import { version } from '../platform/http/version.ts';
import { startTimers } from '../platform/timers/start.ts';
import type { RoleServices } from './role.ts';
import { workerTimers } from './wings.ts';

/** Follows facts, publishes, delivers, rolls up and cleans up. Disposing it lets what is under way finish. */
export function openWorkerRole(services: RoleServices): AsyncDisposable {
  const { config, pools, storage, series, keyring, hooks, intake, clock, log, metrics } = services;
  const opening = new AsyncDisposableStack();
  const notifier = startNotifications(
    config,
    { pools, keyring, clock, log, metrics },
    onCall.openChannelSender(config, services),
  );
  opening.defer(() => notifier.stop());
  const reader = createOutbound({
    resolver: resolverOf(config.dnsServers),
    policy: config.outboundPolicy,
    userAgent: `Upquorum/${version} (+${config.publicUrl})`,
  });
  const timers = workerTimers({
    pools,
    series,
    clock,
    log,
    metrics,
    edition: storage.edition,
    baseUrl: config.publicUrl,
    canMail: config.smtpUrl !== null,
    auditDays: config.auditDays,
    dnsServers: config.dnsServers,
    registries: { reader, bootstrapUrl: config.rdapBootstrapUrl },
    opening,
  });
  const evaluations = evaluationTimers({
    pools,
    series,
    clock,
    metrics,
    hooks: hooks.checks,
    meter: analytics.meter,
    storedUntil: nowMs => intake.storedUntil('events', nowMs),
  });
  opening.use(startTimers([...timers, ...evaluations], services.timing));
  const recording = { pools, series, hooks: hooks.checks, confirm: intake.confirm };
  opening.use(intake.store(asked => recordServices(recording, asked)));
  return opening;
}
