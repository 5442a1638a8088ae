import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { LeaseHolder } from '../../../platform/db/lease.ts';
import { type Sql, sqlOf } from '../../../platform/db/sql.ts';
import { afterCommit } from '../../../platform/db/transaction.ts';
import type { Metrics } from '../../../platform/http/metrics.ts';
import { gather } from './batches.ts';
import type { Broker, StreamMessage } from './broker.ts';
import { streamLease } from './holder-store.ts';
import {
  alignPosition,
  isStored,
  isSuperseded,
  markCaughtUp,
  movePosition,
  type Position,
  takePosition,
} from './position-store.ts';
import { follow, type Reading, stallOf } from './reading.ts';
import type { IntakeStream } from './streams.ts';
import { type IntakeTime, processTime } from './time.ts';

/** Moves the position of the stream up to a message, in the transaction that stores it. */
export type Move = (sql: Sql, seq: number) => Promise<void>;

/**
 * Stores messages in their order, each once, and moves the position along. Resolves when all are stored, or dead
 * letters; waits while the database is away. Throws Superseded once another process has the stream.
 */
export type StoreMessages = (messages: readonly StreamMessage[], move: Move, signal: AbortSignal) => Promise<void>;

export type SinkServices = {
  pool: pg.Pool;
  broker: Broker;
  leases: LeaseHolder;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** That of the process if not given. */
  time?: IntakeTime;
};

const leaseMs = 15_000;
const renewMs = 5000;
const bounds = { messagesMax: 200, bytesMax: 1_000_000 };

/**
 * Stores what waits in a stream until its lease is lost or the signal aborts, then gives the lease up. Returns at once
 * if another process has it. The position in the database says what was stored; up to there the broker may forget.
 * Throws what went wrong.
 */
export async function runSink(
  services: SinkServices,
  stream: IntakeStream,
  store: StoreMessages,
  signal: AbortSignal,
): Promise<void> {
  const lease = streamLease(stream.name);
  if ((await services.leases.take(lease, leaseMs)) === null) return;
  try {
    await own(services, stream, store, signal);
  } catch (error) {
    if (!signal.aborted && !isSuperseded(error)) throw error;
  } finally {
    // Another process measures the stream from now on.
    services.metrics.intakeAge.remove({ stream: stream.name });
    await services.leases.release(lease).catch(() => {});
  }
}

/** Returns when the lease or the stream is lost, or the signal aborts. */
async function own(
  services: SinkServices,
  { name }: IntakeStream,
  store: StoreMessages,
  outer: AbortSignal,
): Promise<void> {
  const { pool, broker, clock, metrics, log, time = processTime } = services;
  // In this order: whoever stood still in between must not move back what another process stored meanwhile.
  const taken = await takePosition(sqlOf(pool), name);
  const lookedMs = clock.now();
  const standing = await broker.standingOf(name);
  const position: Position = await alignPosition(sqlOf(pool), name, taken, standing);
  if (position.seq >= standing.lastSeq) await markCaughtUp(sqlOf(pool), name, position.fence, lookedMs);
  const lost = new AbortController();
  const signal = AbortSignal.any([outer, lost.signal]);
  const messages = await broker.read(name, position.seq);
  const reading: Reading = { seq: position.seq, taken: 0, isWaiting: false };
  let failure: unknown = null;
  const keeping = keep(services, name, { position, reading, lastSeq: standing.lastSeq, lookedMs }, signal)
    .catch(error => {
      failure = error;
    })
    .finally(() => {
      lost.abort();
      void messages.close();
    });
  const move: Move = async (sql, seq) => {
    await movePosition(sql, name, position, seq);
    afterCommit(sql, () => {
      position.seq = seq;
    });
  };
  try {
    for await (const batch of gather(follow(messages, reading), bounds, time.turn)) {
      if (signal.aborted) return;
      const fresh = batch.filter(({ seq }) => seq > position.seq);
      const [first, last] = [fresh[0], fresh.at(-1)];
      if (first === undefined || last === undefined) continue;
      if (position.seq > 0 && first.seq !== position.seq + 1) {
        // Another process that stored them, while we stood still, may have let the broker forget them.
        if (!(await isStored(sqlOf(pool), name, position))) return;
        log.error({ stream: name, after: position.seq, next: first.seq }, 'messages are missing from a stream');
      }
      await store(fresh, move, signal);
      metrics.intakeAge.set({ stream: name }, Math.max(0, clock.now() - last.at) / 1000);
    }
  } catch (error) {
    // Without its stream the work is given up: what led to that is thrown below.
    if (!lost.signal.aborted) throw error;
  } finally {
    lost.abort();
    await keeping;
  }
  if (failure !== null) throw failure;
}

/**
 * Renews the lease, says how far we are, and lets the broker forget what was stored at the renewal before, until we
 * lose the stream. `lastSeq` is where the stream ended when it was taken: it is not behind if all that was there at the
 * look before is stored. The broker's clock is not asked: it may be wrong.
 */
async function keep(
  { pool, broker, leases, clock, log, time = processTime }: SinkServices,
  name: string,
  { position, reading, ...taken }: { position: Position; reading: Reading; lastSeq: number; lookedMs: number },
  signal: AbortSignal,
): Promise<void> {
  const isStalled = stallOf(reading);
  let [stored, forgotten, before] = [0, 0, taken];
  for (;;) {
    await time.wait(renewMs, { signal }).catch(() => {});
    if (signal.aborted) return;
    if ((await leases.take(streamLease(name), leaseMs)) === null) return;
    // What is stored while the broker answers may be newer than its answer.
    const { seq } = position;
    const lookedMs = clock.now();
    const standing = await broker.standingOf(name);
    const { createdAt, firstSeq, lastSeq } = standing;
    if (createdAt !== position.createdAt || lastSeq < seq) {
      log.error({ stream: name }, 'the stream was recreated or truncated: reading from the beginning');
      return;
    }
    if (isStalled(standing)) {
      log.warn({ stream: name, after: reading.seq, last: lastSeq }, 'the broker delivers nothing: subscribing again');
      return;
    }
    const caughtUpMs = seq >= lastSeq ? lookedMs : Math.min(lookedMs, before.lookedMs + renewMs);
    if (seq >= Math.min(lastSeq, before.lastSeq)) await markCaughtUp(sqlOf(pool), name, position.fence, caughtUpMs);
    before = { lastSeq, lookedMs };
    // A standby that took over may lack what was stored last: it is stored again from the stream.
    if (stored > forgotten && !(await isStored(sqlOf(pool), name, { ...position, seq }))) return;
    if (stored > forgotten && firstSeq <= stored) await broker.forget(name, stored);
    [stored, forgotten] = [seq, stored];
  }
}
