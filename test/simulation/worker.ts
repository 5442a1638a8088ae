import { databaseClock } from './gateway.ts';
import type { Process } from './process.ts';
import type { DeliveryRow, Rows } from './rows.ts';
import { runSinks } from './sink.ts';
import type { World } from './world.ts';

const everyMs = 2000;
const turnMax = 5;
const leaseMs = 30_000;

/** A process with the role worker: it turns facts into deliveries, sends them, and moves messages of the broker. */
export function startWorker(world: World, worker: Process, name: string): void {
  const clock = databaseClock(world, worker);
  const now = () => clock.now();
  if (world.scenario.intake === 'nats') runSinks(world, worker, name, clock);
  void runFacts(world, worker, now);
}

async function runFacts(world: World, worker: Process, now: () => number): Promise<never> {
  const { database } = world;
  for (;;) {
    try {
      database.requirePresence();
      const { facts, deliveries } = database.rows;
      if ([...facts.values()].some(fact => !fact.done)) await dispatch(world, worker);
      if ([...deliveries.values()].some(({ sent, leasedUntil }) => !sent && leasedUntil < now()))
        await deliver(world, worker, now());
    } catch {
      // The database is away: it tries again.
    }
    await worker.wait(everyMs);
  }
}

/** A turn: what follows a fact is committed with its mark, as in `facts/dispatch.ts`. */
async function dispatch(world: World, worker: Process): Promise<void> {
  const { database } = world;
  const follow = (rows: Rows, ids: readonly string[]) => {
    for (const factId of ids) {
      const id = rows.newId('delivery');
      rows.deliveries.put(id, { id, factId, leasedUntil: 0, sent: false });
    }
  };
  const finish = (rows: Rows, ids: readonly string[]) => {
    for (const id of ids) {
      const fact = rows.facts.get(id);
      if (fact !== undefined) rows.facts.put(id, { ...fact, done: true });
    }
  };
  const claim = (rows: Rows) =>
    [...rows.facts.values()]
      .filter(fact => !fact.done)
      .map(fact => fact.id)
      .slice(0, turnMax);
  if (world.mutation === 'fact handled outside its transaction') {
    const ids = await database.transact(worker, claim);
    await database.transact(worker, rows => follow(rows, ids));
    await database.transact(worker, rows => finish(rows, ids));
    return;
  }
  await database.transact(worker, rows => {
    const ids = claim(rows);
    follow(rows, ids);
    finish(rows, ids);
  });
}

/** Claims a delivery, sends it with its id as key, and notes that it was sent: at least once. */
async function deliver(world: World, worker: Process, nowMs: number): Promise<void> {
  const { database } = world;
  const claimed = await database.transact(worker, ({ deliveries }) => {
    const due = [...deliveries.values()].find(({ sent, leasedUntil }) => !sent && leasedUntil < nowMs);
    if (due === undefined) return null;
    const row: DeliveryRow = { ...due, leasedUntil: nowMs + leaseMs };
    deliveries.put(due.id, row);
    return row;
  });
  if (claimed === null) return;
  await worker.wait(world.random.between(5, 200));
  world.ledger.told(claimed);
  await database.transact(worker, ({ deliveries }) => deliveries.put(claimed.id, { ...claimed, sent: true }));
}
