import type { ResultHooks } from '#control-plane/monitoring/agents/hooks.ts';
import { parseResult, type RefusalReason } from '#control-plane/monitoring/checks/intake/accept.ts';
import type { Reported } from '#control-plane/monitoring/checks/intake/prepare.ts';
import { createResultPublisher } from '#control-plane/operations/intake/nats/result-publisher.ts';
import { createGroupCommit, partitionOf } from '#control-plane/platform/db/group-commit.ts';
import { commitWithRetry } from '#control-plane/platform/resilience/commit-retry.ts';
import type { Clock } from '#shared/clock.ts';
import { silentLog } from './log.ts';
import { metrics } from './metrics.ts';
import type { Process } from './process.ts';
import { record } from './recording.ts';
import { keyOf } from './rows.ts';
import type { World } from './world.ts';

/** What a gateway does with results, and with confirmations that judging asks for. `record`: what it takes itself. */
export type Intake = ResultHooks & {
  record(reported: readonly Reported[]): Promise<(RefusalReason | null)[]>;
};

type Sender = Parameters<ResultHooks['recordReported']>[0];

/** The kinds of intake: what is acknowledged is in the database, or in a stream of the broker. */
export function openIntake(world: World, gateway: Process, clock: Clock): Intake {
  return world.scenario.intake === 'postgres' ? toDatabase(world, gateway, clock) : toBroker(world, gateway, clock);
}

/** Group commits, as the product's recorder makes them: acknowledged after the last of them. */
function toDatabase(world: World, gateway: Process, clock: Clock): Intake {
  const commits = createGroupCommit<Reported, RefusalReason | null>({
    batchMax: 1000,
    queuedMax: 20_000 / 3,
    concurrency: 1,
    partitions: { count: 3, ofItem: ({ result }) => partitionOf(result.monitor_id, 3) },
    refusal: () => new Error('stopping'),
    commit: async (batch, signal) => {
      const commit = async () => {
        const nowMs = clock.now();
        const recorded = await world.database.transact(gateway, rows => record(world, rows, batch, nowMs));
        world.confirm(recorded.confirmations);
        return recorded.refusals;
      };
      const patience = { unknownErrorRetries: 60, signal, onFailure: () => {} };
      const time = { wait: gateway.wait, random: world.random.next };
      return (await commitWithRetry(commit, { ...patience, time })) ?? [];
    },
  });
  return {
    recordReported: async (sender, results) => {
      const batch = parse(sender, results);
      const committed = commits.add(batch, sender.agentId);
      return world.mutation === 'acknowledge before the commit' ? batch.map(() => null) : committed;
    },
    record: reported => commits.add(reported, 'heartbeat'),
    full: agentId => commits.full(1, agentId),
    drained: agentId => commits.drained(agentId),
  };
}

/** The product's publisher: a message a stream under way, acknowledged after the broker has stored it. */
function toBroker(world: World, gateway: Process, clock: Clock): Intake {
  const time = { wait: gateway.wait, random: world.random.next };
  const broker = world.broker.clientOf(gateway);
  const open = () => createResultPublisher({ broker, clock, log: silentLog, metrics, time });
  const opened = open();
  const own = {
    record: (reported: readonly Reported[]) =>
      opened.record({ agentId: 'heartbeat', region: 'heartbeat', isPrivate: false }, reported),
  };
  const publisher = { ...watched(world, gateway, opened), ...own };
  switch (world.mutation) {
    case 'acknowledge before the broker stored it':
      return {
        ...publisher,
        recordReported: async (sender, results) => {
          void publisher.recordReported(sender, results);
          return results.map(() => null);
        },
      };
    case 'several messages of a stream under way':
      return { ...publisher, recordReported: (...report) => watched(world, gateway, open()).recordReported(...report) };
    default:
      return publisher;
  }
}

function watched(world: World, gateway: Process, intake: ResultHooks): ResultHooks {
  return {
    full: agentId => intake.full(agentId),
    drained: agentId => intake.drained(agentId),
    recordReported: (sender, results) => {
      for (const { result } of parse(sender, results))
        world.ledger.reported(gateway.id, sender.agentId, keyOf({ ...result, region: sender.region }));
      return intake.recordReported(sender, results);
    },
  };
}

function parse(sender: Sender, results: readonly unknown[]): Reported[] {
  return results.map(value => {
    const result = parseResult(value);
    if (result === null) throw new Error(`a malformed result: ${JSON.stringify(value)}`);
    return { result, ...sender };
  });
}
