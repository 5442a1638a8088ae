import { startNotifications } from '../delivery/notifications/start.ts';
import { wakeGroup } from '../on-call/alert-groups/store.ts';
import { serviceAddresses } from '../on-call/channels/adapter.ts';
import { createChannelSender } from '../on-call/channels/operator.ts';
import { leaseHolder } from '../platform/db/lease.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { startTimers } from '../platform/timers/timers.ts';
import { Publisher } from '../publishing/status-pages/publish/publisher.ts';
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
  opening.use(services.intake.store(asked => recordServices(services, asked)));
  return opening;
}
