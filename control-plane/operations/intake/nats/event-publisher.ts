import type { NewEvent } from '../../../analytics/events/event.ts';
import type { Written } from '../../../analytics/events/store.ts';
import type { EventWriter } from '../../../analytics/events/writer.ts';
import { createGroupCommit } from '../../../platform/db/group-commit.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { warnThrottled } from '../../../platform/resilience/throttled-warning.ts';
import { type Broker, StreamFull } from './broker.ts';
import { encodeEvents, messageBytesMax } from './message.ts';
import type { PublisherServices } from './result-publisher.ts';
import { shardCount, shardOf } from './streams.ts';

const batchMax = 500;
const queuedMax = 40_000;
/** Of a shard. */
const queuedBytesMax = 16 * 1024 * 1024;
const bytesPerEvent = 500;
const fullRetrySeconds = 5;

/**
 * A writer that hands events to the broker: a 202 means that they are on its disk, also while the database is away.
 * Whether an event is a duplicate is decided when it is stored, so here all count as accepted. Events of a request with
 * an Idempotency-Key go to the database at once, by `direct`: they commit with its answer.
 */
export function createEventPublisher(services: PublisherServices, direct: EventWriter): EventWriter {
  const { log, metrics, broker } = services;
  const warn = warnThrottled(log, 'events could not be handed to NATS and were refused', {});
  let queued = 0;
  /** One message of a shard under way: the busier the broker, the larger the messages. A project keeps its order. */
  const queues = createGroupCommit<NewEvent, Written>({
    batchMax,
    queuedMax,
    concurrency: 1,
    partitions: { count: shardCount, ofKey: shardOf },
    cost: { of: event => (event.props?.length ?? 0) + bytesPerEvent, max: queuedBytesMax },
    refusal: () => new Problem('unavailable', { retryAfter: 1 }),
    commit: async (accepted, _signal, shard) => {
      await publishParts(broker, shard, accepted, warn);
      metrics.commits.mark('events');
      metrics.events.inc({ outcome: 'accepted' }, accepted.length);
      return accepted.map(({ id }) => ({ id, duplicate: false }));
    },
    onQueued: count => {
      queued = count;
      metrics.eventsQueued.set(count);
    },
  });
  return {
    write: async events => {
      const projectId = events[0]?.projectId ?? '';
      if (queued + events.length > queuedMax || queues.full(events.length, projectId))
        throw new Problem('unavailable', { retryAfter: 1, detail: 'too many events are waiting to be stored' });
      return queues.add(events, projectId);
    },
    writeIn: direct.writeIn,
    waitingMs: () => Math.max(queues.waitingMs(), direct.waitingMs()),
    stop: async withinMs => {
      await Promise.all([queues.stop(withinMs), direct.stop(withinMs)]);
    },
  };
}

/** No second try: a queue in memory would not survive a crash, so the senders repeat their requests. */
async function publishParts(
  broker: Pick<Broker, 'publish'>,
  shard: number,
  accepted: readonly NewEvent[],
  warn: ReturnType<typeof warnThrottled>,
): Promise<void> {
  const body = encodeEvents(accepted);
  if (body.length > messageBytesMax && accepted.length > 1) {
    const half = Math.ceil(accepted.length / 2);
    await publishParts(broker, shard, accepted.slice(0, half), warn);
    return publishParts(broker, shard, accepted.slice(half), warn);
  }
  try {
    await broker.publish('events', shard, body);
  } catch (error) {
    warn(error);
    if (!(error instanceof StreamFull)) throw new Problem('unavailable', { retryAfter: 1 });
    throw new Problem('unavailable', {
      retryAfter: fullRetrySeconds,
      detail: 'more events wait to be stored than the intake has room for',
    });
  }
}
