import { randomUUID } from 'node:crypto';
import { startNotifications } from '../delivery/notifications/start.ts';
import { unpackConfirmations } from '../monitoring/assignments/check-now.ts';
import { AskedChecks } from '../monitoring/checks/intake/asked-checks.ts';
import { wakeGroup } from '../on-call/alert-groups/store.ts';
import { createChannelSender } from '../on-call/channels/channel-sender.ts';
import { serviceAddresses } from '../on-call/channels/types/service-addresses.ts';
import { openBridge } from '../operations/intake/bridge.ts';
import type { Broker } from '../operations/intake/broker.ts';
import { openSinks } from '../operations/intake/sinks.ts';
import { leaseHolder } from '../platform/db/lease.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { startTimers } from '../platform/timers/timers.ts';
import { Publisher } from '../publishing/status-pages/publish/publisher.ts';
import { hear } from './hear.ts';
import { recordServices } from './record-services.ts';
import type { RoleServices } from './role.ts';
import { workerTimers } from './schedule.ts';
import { onFact } from './workflow.ts';

/** Follows facts, publishes, delivers, rolls up and cleans up. Disposing it lets what is under way finish. */
export function openWorkerRole(services: RoleServices): AsyncDisposable {
  const { config, pools, storage, keyring, clock, log, metrics } = services;
  const opening = new AsyncDisposableStack();
  const notifier = startNotifications(config, { pools, keyring, clock, log, metrics }, clients =>
    createChannelSender({
      ...clients,
      sql: sqlOf(pools.background),
      keyring,
      baseUrl: config.publicUrl,
      addresses: serviceAddresses(config),
      mailDomains: config.channelMailDomains,
      wake: (projectId, groupId) => wakeGroup(sqlOf(pools.background), projectId, groupId, clock.now()),
      failing: async (project, { id, name }, isFailing) =>
        isFailing
          ? log.warn({ project, channel: id, name }, 'a channel is failing')
          : log.info({ project, channel: id, name }, 'channel recovered'),
    }),
  );
  opening.defer(() => notifier.stop());
  const publisher = new Publisher({
    pool: pools.background,
    connectionString: pools.connectionString,
    baseUrl: config.publicUrl,
    canMail: config.smtpUrl !== null,
    log,
  });
  opening.use(publisher);
  const timers = workerTimers({
    pools,
    series: storage.series,
    edition: storage.edition,
    metrics,
    onFact: onFact({ clock, log, baseUrl: config.publicUrl }),
    publisher,
    auditDays: config.auditDays,
    clock,
    log,
  });
  const leases = leaseHolder(sqlOf(pools.background));
  opening.use(startTimers(timers, leases, log));
  if (services.broker !== null) openIntake(opening, services, services.broker);
  return opening;
}

/**
 * Stores what waits in the broker's streams, for which it hears of the checks that were asked for. Passes on what the
 * database notifies of.
 */
function openIntake(opening: AsyncDisposableStack, services: RoleServices, broker: Broker): void {
  const { pools, storage, clock, log, metrics } = services;
  const worker = randomUUID();
  metrics.commits.expect('stored_results', 'stored_events');
  const leases = leaseHolder(sqlOf(pools.background), worker);
  const asked = new AskedChecks();
  opening.use(hear(services, { check_now: payload => asked.remember(unpackConfirmations(payload), clock.now()) }));
  opening.use(openBridge({ connectionString: pools.connectionString, broker, leases, log }));
  opening.use(
    openSinks({
      record: recordServices(services, asked),
      series: storage.series,
      pool: pools.ingest,
      broker,
      worker,
      leases,
      clock,
      log,
      metrics,
    }),
  );
}
