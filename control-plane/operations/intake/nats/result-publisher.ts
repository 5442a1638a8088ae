import { fullJitter } from '#shared/backoff.ts';
import type { Clock } from '#shared/clock.ts';
import { minuteMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import type { RefusalReason } from '../../../monitoring/checks/intake/accept.ts';
import { ExpiringSet } from '../../../monitoring/checks/intake/expiring-set.ts';
import type { Reported } from '../../../monitoring/checks/intake/prepare.ts';
import { type Recorder, recordParsed, warnOfMalformed } from '../../../monitoring/checks/intake/recorder.ts';
import { weightOf } from '../../../monitoring/checks/intake/weight.ts';
import { createGroupCommit, partitionOf } from '../../../platform/db/group-commit.ts';
import type { Metrics } from '../../../platform/http/metrics.ts';
import { warnThrottled } from '../../../platform/resilience/throttled-warning.ts';
import type { Broker } from './broker.ts';
import { encodeResults, messageBytesMax } from './message.ts';
import { firstShardOf, streamsPerKind } from './streams.ts';
import { type IntakeTime, processTime } from './time.ts';

const batchMax = 500;
const queuedMax = 20_000;
/** Of one agent: eight messages, if their monitors are spread evenly. */
const queuedPerAgentMax = 4000;

export type PublisherServices = {
  broker: Pick<Broker, 'publish'>;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** That of the process if not given. */
  time?: Omit<IntakeTime, 'turn'>;
};

/**
 * A recorder that hands results to the broker: they are acknowledged once they are on its disk, also while the database
 * is away. Whether a result is refused is decided when it is stored; here only its form is checked.
 */
export function createResultPublisher(services: PublisherServices): Recorder {
  const { clock, log, metrics } = services;
  metrics.results.inc({ outcome: 'stored' }, 0);
  const warned = new ExpiringSet(minuteMs);
  const warn = warnThrottled(log, 'results could not be handed to NATS; they are kept and sent again', {});
  const queues = createGroupCommit<Reported, RefusalReason | null>({
    batchMax,
    queuedMax: queuedMax / streamsPerKind,
    queuedPerKeyMax: queuedPerAgentMax / streamsPerKind,
    weightOf,
    concurrency: 1,
    partitions: { count: streamsPerKind, ofItem: ({ result }) => partitionOf(result.monitor_id, streamsPerKind) },
    refusal: () => new Error('the gateway is stopping'),
    commit: async (reported, signal, stream) => {
      await publishParts(services, firstShardOf(stream), reported, signal, warn);
      metrics.commits.mark('results');
      return reported.map(() => null);
    },
    onQueued: count => metrics.queue.set(count),
  });
  const record: Recorder['record'] = ({ agentId }, reported) => {
    const receivedAt = clock.now();
    return queues.add(
      reported.map(report => ({ ...report, receivedAt })),
      agentId,
    );
  };
  return {
    record,
    recordReported: async (sender, results) => {
      const refusals = await recordParsed(record, sender, results);
      warnOfMalformed({ metrics, log, warned }, sender, refusals);
      return refusals;
    },
    full: agentId => queues.full(1, agentId),
    drained: agentId => queues.drained(agentId),
    waitingMs: () => queues.waitingMs(),
    stop: withinMs => queues.stop(withinMs),
  };
}

/**
 * One message, or several if one would be too large. Repeats until the broker has it; it may have it twice then, which
 * the database notices: a result is stored once.
 */
async function publishParts(
  services: PublisherServices,
  shard: number,
  reported: readonly Reported[],
  signal: AbortSignal,
  warn: (error: unknown) => void,
): Promise<void> {
  const body = encodeResults(reported);
  if (body.length > messageBytesMax && reported.length > 1) {
    const half = Math.ceil(reported.length / 2);
    await publishParts(services, shard, reported.slice(0, half), signal, warn);
    return publishParts(services, shard, reported.slice(half), signal, warn);
  }
  const { broker, time = processTime } = services;
  for (let failures = 0; ; failures++) {
    try {
      return await broker.publish('results', shard, body);
    } catch (error) {
      if (signal.aborted) throw error;
      warn(error);
      await time.wait(100 + fullJitter(failures, 100, 2000, time.random()), { signal });
    }
  }
}
