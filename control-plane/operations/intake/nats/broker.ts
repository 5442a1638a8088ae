import {
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { ConfigError } from '#shared/env.ts';
import { errorMessage } from '#shared/error-message.ts';
import type { Logger } from '#shared/log.ts';
import { wait } from '#shared/wait.ts';
import type { Channel, Listening } from '../../../platform/db/listen.ts';
import type { NatsSettings } from '../settings.ts';
import { busOf } from './bus.ts';
import { connectTo } from './connection.ts';
import { brokerExposure } from './exposure.ts';
import { messageBytesMax } from './message.ts';
import { requireDurable } from './require-durable.ts';
import { type IntakeKind, type IntakeStream, streamsOf, subjectOf } from './streams.ts';

/** A message of a stream; `at` is when the broker stored it, in milliseconds. */
export type StreamMessage = { seq: number; at: number; data: Uint8Array };

/** What a stream holds. `createdAt` differs if it was made anew, with sequences from 1. */
export type StreamStanding = { createdAt: string; firstSeq: number; lastSeq: number };

/** The durable queue between those that accept and those that store. */
export type Broker = AsyncDisposable & {
  streams: readonly IntakeStream[];
  /** Resolves once the message is on disk. Throws StreamFull, or what the client throws; then it may be stored. */
  publish(kind: IntakeKind, shard: number, body: Uint8Array): Promise<void>;
  standingOf(stream: string): Promise<StreamStanding>;
  /** The messages after a sequence, in order, until `close`. Ends or throws if the stream is lost. */
  read(stream: string, afterSeq: number): Promise<AsyncIterable<StreamMessage> & { close(): Promise<unknown> }>;
  /** Notifies all processes of the installation, now or, if it is away, never. */
  notify(channel: Channel, payload: string): void;
  /** Calls with each notification, and with an empty payload after each reconnection. */
  subscribe(listening: Listening): AsyncDisposable;
  /** Throws unless a server answers within three seconds. */
  reach(): Promise<void>;
  /** Deletes the messages up to a sequence. */
  forget(stream: string, untilSeq: number): Promise<void>;
};

/** The stream takes no more until what waits in it is stored. */
export class StreamFull extends Error {
  override name = 'StreamFull';
}

const publishMs = 5000;
/** A reader that is gone is forgotten by the server. */
const readerLostMs = 30_000;
const readBytesMax = 4 * 1024 * 1024;
const retryMs = 2000;
const reachMs = 3000;
/** JetStream's codes for a stream without room: by bytes, by messages, and for want of disk. */
const fullCodes = new Set([10_077, 10_047, 10_023, 10_122]);

/** JetStream is starting, has no leader yet, or too few of its servers for the replicas of a stream. */
const awayCodes = new Set([10_008, 10_005]);

/**
 * Connects, proves that what is acknowledged is on disk, and makes the streams. Waits while the server cannot be
 * reached; throws a ConfigError for a server that is not durable.
 */
export async function openBroker(settings: NatsSettings, log: Logger): Promise<Broker> {
  for (const warning of brokerExposure(settings)) log.warn(warning);
  const connection = await whenReachable(log, async () => {
    const warnings = await requireDurable(settings.monitorUrls);
    const connection = await connectTo(settings);
    for (const warning of warnings) log.warn(warning);
    return connection;
  });
  await using opening = new AsyncDisposableStack();
  opening.defer(() => connection.close());
  const streams = streamsOf(settings.prefix);
  const manager = await whenReachable(log, async () => {
    const manager = await jetstreamManager(connection);
    await Promise.all(streams.map(stream => ensureStream(manager, stream, settings)));
    return manager;
  });
  const running = opening.move();
  return {
    streams,
    ...clientOf(connection, manager, settings.prefix),
    ...busOf(connection, settings.prefix),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function clientOf(connection: NatsConnection, manager: JetStreamManager, prefix: string) {
  const client: JetStreamClient = jetstream(connection);
  return {
    publish: async (kind: IntakeKind, shard: number, body: Uint8Array) => {
      try {
        // Without a message id: a server without a quorum acknowledges the second try of one that it will lose.
        await client.publish(subjectOf(prefix, kind, shard), body, { timeout: publishMs });
      } catch (error) {
        if (error instanceof JetStreamApiError && fullCodes.has(error.code))
          throw new StreamFull(`no room in the stream of shard ${shard} of ${kind}: ${error.message}`);
        throw error;
      }
    },
    standingOf: async (stream: string) => {
      const { created, state } = await manager.streams.info(stream);
      return { createdAt: created, firstSeq: state.first_seq, lastSeq: state.last_seq };
    },
    read: async (stream: string, afterSeq: number) => {
      const consumer = await client.consumers.get(stream, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: afterSeq + 1,
        inactive_threshold: readerLostMs,
      });
      const messages = await consumer.consume({ max_bytes: readBytesMax, idle_heartbeat: 5000, expires: 30_000 });
      return {
        close: () => messages.close(),
        async *[Symbol.asyncIterator]() {
          for await (const message of messages)
            yield { seq: message.seq, at: message.time.getTime(), data: message.data };
        },
      };
    },
    reach: async () => {
      const late = wait(reachMs, { ref: false }).then(() =>
        Promise.reject(new Error('the NATS server does not answer')),
      );
      await Promise.race([connection.rtt(), late]);
    },
    forget: async (stream: string, untilSeq: number) => {
      await manager.streams.purge(stream, { seq: untilSeq + 1 });
    },
  };
}

/** A stream that is there keeps its messages; its limits follow the settings. */
async function ensureStream(manager: JetStreamManager, stream: IntakeStream, settings: NatsSettings): Promise<void> {
  const limits = { max_bytes: settings.streamBytes, num_replicas: settings.replicas };
  const wanted = {
    name: stream.name,
    subjects: [...stream.subjects],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_msg_size: messageBytesMax + 10_000,
    ...limits,
  };
  const found = await infoOf(manager, stream.name);
  try {
    if (found === null) await manager.streams.add(wanted);
    else if (found.config.max_bytes !== limits.max_bytes || found.config.num_replicas !== limits.num_replicas)
      await manager.streams.update(stream.name, limits);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && fullCodes.has(error.code))) throw error;
    const total = (streamsOf(settings.prefix).length * settings.streamBytes) / 1_048_576;
    throw new ConfigError(
      `the NATS server has no room for streams of ${total} MB in all: raise max_file_store or lower NATS_STREAM_MB`,
    );
  }
}

/** Null if there is no such stream: a server that does not answer says nothing about that. */
async function infoOf(manager: JetStreamManager, name: string) {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return null;
    throw error;
  }
}

/** Repeats until the server answers. A fault that waiting does not mend is thrown. */
async function whenReachable<Result>(log: Logger, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error)) throw error;
      log.warn({ reason: errorMessage(error) }, 'waiting for the NATS server');
      await wait(retryMs);
    }
  }
}

/** Errors of the client have no codes that last: what we did not decide ourselves is an absence. */
function isAway(error: unknown): boolean {
  return !(error instanceof ConfigError) && !(error instanceof JetStreamApiError && !awayCodes.has(error.code));
}
