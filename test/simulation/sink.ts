import type { Broker as ProductBroker } from '#control-plane/operations/intake/nats/broker.ts';
import {
  runSink as runProductSink,
  type SinkServices,
  type StoreMessages,
} from '#control-plane/operations/intake/nats/sink.ts';
import { storeResultsBy } from '#control-plane/operations/intake/nats/store-results.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { leasesOf } from './leases.ts';
import { silentLog } from './log.ts';
import { metrics } from './metrics.ts';
import { positionPool, positionTransaction } from './positions.ts';
import type { Process } from './process.ts';
import { record } from './recording.ts';
import type { Rows } from './rows.ts';
import type { World } from './world.ts';

type RecordBatch = Parameters<typeof storeResultsBy>[0]['recordBatch'];

const lookMs = 2000;

/** A worker's part in moving messages from the streams to the database, by the product's sink. */
export function runSinks(world: World, worker: Process, name: string, clock: Clock): void {
  const broker = world.broker.clientOf(worker);
  const services: SinkServices & { recordBatch: RecordBatch } = {
    pool: positionPool(world, worker),
    broker: broker as ProductBroker,
    leases: leasesOf(world.database, worker, name),
    clock,
    log: watchedLog(world),
    metrics,
    time: {
      wait: worker.wait,
      random: world.random.next,
      turn: () => new Promise(resolve => void worker.after(0, () => resolve(null))),
    },
    recordBatch: recordBy(world, worker),
  };
  for (const stream of world.broker.streams) {
    const store = storeResultsBy(services, stream.name);
    const early: StoreMessages = async (messages, move, signal) => {
      await broker.forget(stream.name, messages.at(-1)?.seq ?? 0);
      return store(messages, move, signal);
    };
    const isEarly = world.mutation === 'message acknowledged before the commit';
    void repeat(worker, () => runProductSink(services, stream, isEarly ? early : store, world.over.signal));
  }
}

/** Whoever loses a stream, or finds it taken, looks for it again, as `Sinks` does. */
async function repeat(worker: Process, work: () => Promise<void>): Promise<void> {
  for (;;) {
    await work().catch(() => {});
    await worker.wait(lookMs);
  }
}

/** As `recordResults`: a batch, and what else belongs to it, in one transaction. */
function recordBy(world: World, worker: Process): RecordBatch {
  const { database, mutation } = world;
  return async (reported, nowMs, alongside) => {
    const { pool, within } = positionTransaction(world, worker);
    const isApart = mutation === 'sequence in a transaction of its own';
    const { refusals, confirmations } = await transaction(pool, async sql => {
      const move = (rows: Rows) => {
        within(rows);
        return alongside?.(sql);
      };
      if (isApart) await database.transact(worker, move);
      return database.transact(worker, async rows => {
        if (!isApart) await move(rows);
        return record(world, rows, reported, nowMs);
      });
    });
    world.confirm(confirmations);
    return { refusals, stored: 0 };
  };
}

/** No stream of a simulation loses messages: the sink must not miss any. */
function watchedLog({ ledger }: World): Logger {
  const error = (_: object, message: string) => {
    if (message !== 'results could not be stored') ledger.fail(`the sink says: ${message}`);
  };
  return Object.assign(Object.create(silentLog) as Logger, { error });
}
