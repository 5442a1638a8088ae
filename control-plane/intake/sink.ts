import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { wait } from '#shared/wait.ts';
import type { LeaseHolder } from '../db/lease.ts';
import { type Sql, sqlOf } from '../db/sql.ts';
import { warnThrottled } from '../db/throttled-warning.ts';
import type { Metrics } from '../http/metrics.ts';
import { gather } from './batches.ts';
import type { Broker, StreamMessage } from './broker.ts';
import { isSuperseded, markCaughtUp, movePosition, type Position, takePosition } from './position-store.ts';
import type { IntakeStream } from './streams.ts';

/** Moves the position of the stream up to a message, in the transaction that stores it. */
export type Move = (sql: Sql, seq: number) => Promise<void>;

/**
 * Stores messages in their order, each once, and moves the position along. Resolves when all are stored or parked;
 * waits while the database is away. Throws Superseded once another process has the stream.
 */
export type StoreMessages = (messages: readonly StreamMessage[], move: Move, signal: AbortSignal) => Promise<void>;

export type SinkServices = {
  pool: pg.Pool;
  broker: Broker;
  leases: LeaseHolder;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
};

const leaseMs = 15_000;
const renewMs = 5000;
const retryMs = 1000;
/** Whoever stands by asks less often. */
const standbyMs = 2000;
/** A stream whose newest stored message is younger is not behind. */
const freshMs = 5000;
const bounds = { messagesMax: 200, bytesMax: 1_000_000 };

/**
 * Stores what waits in a stream for as long as it has the stream's lease, and asks for it again and again until the
 * signal aborts. The position in the database says what was stored; up to there the broker may forget.
 */
export async function runSink(
  services: SinkServices,
  stream: IntakeStream,
  store: StoreMessages,
  signal: AbortSignal,
): Promise<void> {
  const warn = warnThrottled(services.log, 'a stream could not be stored and is tried again', { stream: stream.name });
  const lease = `intake ${stream.name}`;
  while (!signal.aborted) {
    try {
      if ((await services.leases.take(lease, leaseMs)) !== null) await own(services, stream, store, signal);
      else await wait(standbyMs, { signal });
    } catch (error) {
      if (!signal.aborted && !isSuperseded(error)) warn(error);
    }
    await wait(retryMs, { signal }).catch(() => {});
  }
  await services.leases.release(lease).catch(() => {});
}

/** Returns when the lease or the stream is lost, or the signal aborts. */
async function own(
  services: SinkServices,
  { name }: IntakeStream,
  store: StoreMessages,
  outer: AbortSignal,
): Promise<void> {
  const { pool, broker, clock, metrics, log } = services;
  const position: Position & { storedAt?: number } = await takePosition(
    sqlOf(pool),
    name,
    await broker.standingOf(name),
  );
  const lost = new AbortController();
  const signal = AbortSignal.any([outer, lost.signal]);
  const messages = await broker.read(name, position.seq);
  let failure: unknown = null;
  const keeping = keep(services, name, position, signal)
    .catch(error => {
      failure = error;
    })
    .finally(() => {
      lost.abort();
      void messages.close();
    });
  const move: Move = (sql, seq) => movePosition(sql, name, position.fence, seq);
  try {
    for await (const batch of gather(messages, bounds)) {
      if (signal.aborted) return;
      const fresh = batch.filter(({ seq }) => seq > position.seq);
      const [first, last] = [fresh[0], fresh.at(-1)];
      if (first === undefined || last === undefined) continue;
      if (position.seq > 0 && first.seq !== position.seq + 1)
        log.error({ stream: name, after: position.seq, next: first.seq }, 'messages are missing from a stream');
      await store(fresh, move, signal);
      position.seq = last.seq;
      position.storedAt = last.at;
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

/** Renews the lease, says how far we are, and lets the broker forget what is stored, until we lose the stream. */
async function keep(
  { pool, broker, leases, clock, log }: SinkServices,
  name: string,
  position: Position & { storedAt?: number },
  signal: AbortSignal,
): Promise<void> {
  let forgotten = 0;
  for (;;) {
    await wait(renewMs, { signal }).catch(() => {});
    if (signal.aborted) return;
    if ((await leases.take(`intake ${name}`, leaseMs)) === null) return;
    const { createdAt, firstSeq, lastSeq } = await broker.standingOf(name);
    if (createdAt !== position.createdAt || lastSeq < position.seq) {
      log.error({ stream: name }, 'a stream was made anew or lost its end: it is read from its start');
      return;
    }
    const { seq, storedAt = 0 } = position;
    if (seq >= lastSeq || storedAt > clock.now() - freshMs) await markCaughtUp(sqlOf(pool), name, position.fence);
    if (seq > forgotten && firstSeq <= seq) await broker.forget(name, seq);
    forgotten = seq;
  }
}
