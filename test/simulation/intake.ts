import type { ResultHooks } from '#control-plane/agents/hooks.ts';
import { parseResult, type RefusalReason } from '#control-plane/checks/accept.ts';
import type { Reported } from '#control-plane/checks/prepare.ts';
import { commitWithRetry, createGroupCommit } from '#control-plane/db/group-commit.ts';
import type { Process } from './process.ts';
import { record } from './recording.ts';
import type { World } from './world.ts';

/** What a gateway does with results, and with the confirmations that judging asks for. */
export type Intake = Pick<ResultHooks, 'recordReported'>;

type Sender = Parameters<ResultHooks['recordReported']>[0];

/** The kinds of intake: what is acknowledged is in the database, or in a stream of the broker. */
export function openIntake(world: World, gateway: Process, now: () => number): Intake {
  const accept = world.scenario.intake === 'postgres' ? toDatabase(world, gateway, now) : toBroker(world, gateway, now);
  return { recordReported: (sender, results) => accept(sender, parse(sender, results)) };
}

type Accept = (sender: Sender, batch: readonly Reported[]) => Promise<(RefusalReason | null)[]>;

/** Group commits: acknowledged after the commit. */
function toDatabase(world: World, gateway: Process, now: () => number): Accept {
  const commits = createGroupCommit<Reported, RefusalReason | null>({
    batchMax: 1000,
    queuedMax: 20_000,
    concurrency: 2,
    refusal: () => new Error('stopping'),
    commit: async (batch, signal) => {
      const commit = async () => {
        const nowMs = now();
        const recorded = await world.database.transact(gateway, rows =>
          record(world, rows, batch, { receivedAt: nowMs, nowMs }),
        );
        world.confirm(recorded.confirmations);
        return recorded.refusals;
      };
      const patience = { unknownErrorRetries: 60, signal, onFailure: () => {} };
      const time = { wait: gateway.wait, random: world.random.next };
      return (await commitWithRetry(commit, { ...patience, time })) ?? [];
    },
  });
  return async ({ agentId }, batch) => {
    if (world.mutation !== 'acknowledge before the commit') return commits.add(batch, agentId);
    void commits.add(batch, agentId);
    return batch.map(() => null);
  };
}

/** One message a shard and batch: acknowledged after the broker has stored all of them. */
function toBroker(world: World, gateway: Process, now: () => number): Accept {
  const { broker } = world;
  const publish = async (shard: number, batch: readonly Reported[], receivedAt: number) => {
    for (let failures = 0; ; failures++) {
      try {
        await broker.publish(gateway, shard, { receivedAt, batch });
        return;
      } catch {
        await gateway.wait(Math.min(2000, 100 * 2 ** failures));
      }
    }
  };
  return async (_, batch) => {
    const receivedAt = now();
    const byShard = Map.groupBy(batch, ({ result }) => world.shardOf(result.monitor_id));
    const published = [...byShard].map(([shard, part]) => publish(shard, part, receivedAt));
    if (world.mutation !== 'acknowledge before the broker stored it') await Promise.all(published);
    return batch.map(() => null);
  };
}

function parse(sender: Sender, results: readonly unknown[]): Reported[] {
  return results.map(value => {
    const result = parseResult(value);
    if (result === null) throw new Error(`a malformed result: ${JSON.stringify(value)}`);
    return { result, ...sender };
  });
}
