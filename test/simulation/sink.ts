import type { LeaseHolder } from '#control-plane/db/lease.ts';
import type { Message } from './broker.ts';
import type { Process } from './process.ts';
import { record } from './recording.ts';
import type { Rows } from './rows.ts';
import type { World } from './world.ts';

const leaseMs = 10_000;
const everyMs = 1000;
const messagesMax = 20;

export type SinkServices = { worker: Process; leases: LeaseHolder; holder: string; now: () => number };

/**
 * A worker's part in moving messages from the streams to the database. Whoever holds a shard's lease commits its
 * messages in their order: rows, sequence and fence in one transaction, and acknowledges then.
 */
export async function runSink(world: World, services: SinkServices): Promise<never> {
  const { worker, leases } = services;
  for (;;) {
    for (let shard = 0; shard < world.broker.shards; shard++) {
      try {
        const lease = await leases.take(`sink-${shard}`, leaseMs);
        if (lease !== null) await drain(world, services, { shard, fence: lease.fence });
      } catch {
        // The database or the broker is away, or the lease was lost: it tries again.
      }
    }
    await worker.wait(everyMs);
  }
}

type Turn = { shard: number; fence: number };

async function drain(world: World, services: SinkServices, turn: Turn): Promise<void> {
  const { broker, mutation } = world;
  const { worker } = services;
  const { shard } = turn;
  for (let count = 0; count < messagesMax; count++) {
    const skips = mutation === 'sink skips a message' && count % 5 === 4;
    const message = await (skips ? broker.pullNext(worker, shard) : broker.pull(worker, shard));
    if (message === null) return;
    const { sequence } = message;
    if (mutation === 'message acknowledged before the commit') await broker.acknowledge(worker, shard, sequence);
    const isNew =
      mutation !== 'sequence in a transaction of its own' ||
      (await world.database.transact(worker, rows => advance(rows, shard, sequence, turn.fence)));
    if (isNew)
      world.confirm(await world.database.transact(worker, rows => store(world, rows, services, turn, message)));
    await broker.acknowledge(worker, shard, sequence);
  }
}

/** Throws if another holds the lease by now: its fence is higher. */
function store(world: World, rows: Rows, { holder, now }: SinkServices, turn: Turn, message: Message) {
  const { mutation } = world;
  const { shard, fence } = turn;
  const lease = rows.leases.get(`sink-${shard}`);
  if ((lease?.holder !== holder || lease.fence !== fence) && mutation !== 'no fence')
    throw new Error('the lease is lost');
  world.ledger.written(shard, fence);
  const isUnwalled = mutation === 'no stored sequence and no unique key';
  const isNew = advance(rows, shard, message.sequence, fence);
  if (!isNew && !isUnwalled && mutation !== 'sequence in a transaction of its own') return [];
  const times = { receivedAt: message.receivedAt, nowMs: now() };
  return record(world, rows, message.batch, times).confirmations;
}

/** False for a message that is stored already. */
function advance(rows: Rows, shard: number, sequence: number, fence: number): boolean {
  if (sequence <= (rows.offsets.get(String(shard))?.sequence ?? 0)) return false;
  rows.offsets.put(String(shard), { sequence, fence });
  return true;
}
