import { randomUUID } from 'node:crypto';
import { packConfirmations, unpackConfirmations } from '../../../monitoring/assignments/check-now.ts';
import { AskedChecks } from '../../../monitoring/checks/intake/asked-checks.ts';
import { leaseHolder } from '../../../platform/db/lease.ts';
import type { SeriesStore } from '../../../platform/db/series/series.ts';
import { sqlOf } from '../../../platform/db/sql.ts';
import type { Services } from '../../../platform/services.ts';
import type { Intake } from '../intake.ts';
import type { NatsSettings } from '../settings.ts';
import { openBridge } from './bridge.ts';
import { type Broker, openBroker } from './broker.ts';
import { createEventPublisher } from './event-publisher.ts';
import { isBehind, streamsWaitMs } from './position-store.ts';
import { createResultPublisher } from './result-publisher.ts';
import { openSinks } from './sinks.ts';

type IntakeServices = Services & { series: SeriesStore };

/** What is accepted waits in streams of NATS until a worker stores it. Waits while no server can be reached. */
export async function openNatsIntake(settings: NatsSettings, services: IntakeServices): Promise<Intake> {
  const broker = await openBroker(settings, services.log);
  return {
    results: () => createResultPublisher({ ...services, broker }),
    events: direct => createEventPublisher({ ...services, broker }, direct),
    store: record => openStores(broker, services, record),
    confirm: async confirmations => {
      for (const payload of packConfirmations(confirmations)) broker.notify('check_now', payload);
    },
    subscribe: listening => broker.subscribe(listening),
    isBehind: () => isBehind(sqlOf(services.pools.background)),
    storedUntil: async (kind, nowMs) => nowMs - (await streamsWaitMs(sqlOf(services.pools.background), kind)),
    outlivesDatabase: true,
    [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose](),
  };
}

/** Stores what waits, for which it hears of the checks that were asked for. Passes on what the database notifies of. */
function openStores(broker: Broker, services: IntakeServices, record: Parameters<Intake['store']>[0]): AsyncDisposable {
  const { pools, clock, log, metrics } = services;
  const worker = randomUUID();
  metrics.commits.expect('stored_results', 'stored_events');
  const leases = leaseHolder(sqlOf(pools.background), worker);
  const asked = new AskedChecks();
  const opening = new AsyncDisposableStack();
  opening.use(broker.subscribe({ check_now: payload => asked.remember(unpackConfirmations(payload), clock.now()) }));
  opening.use(openBridge({ connectionString: pools.connectionString, broker, leases, log }));
  opening.use(openSinks({ ...services, record: record(asked), pool: pools.ingest, broker, worker, leases }));
  return opening;
}
