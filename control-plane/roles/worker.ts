import { randomUUID } from 'node:crypto';
import { wakeGroup } from '../alert-groups/store.ts';
import { unpackConfirmations } from '../assignments/check-now.ts';
import { serviceAddresses } from '../channels/adapter.ts';
import { createChannelSender } from '../channels/operator.ts';
import { AskedChecks } from '../checks/asked-checks.ts';
import { leaseHolder } from '../db/lease.ts';
import { sqlOf } from '../db/sql.ts';
import { openBridge } from '../intake/bridge.ts';
import type { Broker } from '../intake/broker.ts';
import { openSinks } from '../intake/sinks.ts';
import { startNotifications } from '../notifications/start.ts';
import { workerTimers } from '../schedule.ts';
import { Publisher } from '../status-pages/publisher.ts';
import { startTimers } from '../timers.ts';
import { onFact } from '../workflow.ts';
import { hear } from './hear.ts';
import { recordServices } from './record-services.ts';
import type { RoleServices } from './role.ts';

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
