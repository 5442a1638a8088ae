import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { classifyFault } from '../db/errors.ts';
import type { SeriesStore } from '../db/series.ts';
import type { Sql } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import type { Metrics } from '../http/metrics.ts';
import { Problem } from '../http/problem.ts';
import type { NewEvent } from './event.ts';
import { storeByHalves, storeEvents, type Written } from './store.ts';

/** Events of all requests in group commits: what waits while one transaction runs goes together in the next. */
export type EventWriter = {
  /** Resolves after the commit. Throws `unavailable`, with nothing stored, when the queue is full or the database away. */
  write(events: readonly NewEvent[]): Promise<Written[]>;
  /** The same in the caller's transaction. */
  writeIn(sql: Sql, events: readonly NewEvent[]): Promise<Written[]>;
  /** Commits what waits, for at most the time given, then refuses the rest. */
  stop(withinMs: number): Promise<void>;
};

export type WriterServices = { pool: pg.Pool; series: SeriesStore; clock: Clock; log: Logger; metrics: Metrics };

const batchMax = 2000;
const queuedMax = 40_000;
const queuedBytesMax = 128 * 1024 * 1024;
const writers = 2;

type Waiting = {
  events: readonly NewEvent[];
  bytes: number;
  resolve(written: Written[]): void;
  reject(error: unknown): void;
};

export function createEventWriter(services: WriterServices): EventWriter {
  const queue: Waiting[] = [];
  const held = { events: 0, bytes: 0 };
  let busy = 0;
  let stopping = false;

  const take = (): Waiting[] => {
    let [count, size] = [0, 0];
    for (const one of queue) {
      if (count > 0 && size + one.events.length > batchMax) break;
      count += 1;
      size += one.events.length;
    }
    return queue.splice(0, count);
  };

  const run = async (): Promise<void> => {
    busy += 1;
    for (let taken = take(); taken.length > 0; taken = take()) {
      await commit(services, taken);
      for (const one of taken) {
        held.events -= one.events.length;
        held.bytes -= one.bytes;
      }
      services.metrics.eventsQueued.set(held.events);
    }
    busy -= 1;
  };

  return {
    write: events =>
      new Promise((resolve, reject) => {
        if (stopping || held.events + events.length > queuedMax || held.bytes > queuedBytesMax)
          return reject(new Problem('unavailable', { retryAfter: 1, detail: 'too many events wait to be stored' }));
        const bytes = events.reduce((sum, event) => sum + (event.props?.length ?? 0) + 500, 0);
        queue.push({ events, bytes, resolve, reject });
        held.events += events.length;
        held.bytes += bytes;
        services.metrics.eventsQueued.set(held.events);
        if (busy < writers) void run();
      }),
    writeIn: (sql, events) => storeIn(sql, services, events),
    stop: async withinMs => {
      stopping = true;
      const deadline = performance.now() + withinMs;
      while (busy > 0 && performance.now() < deadline) await wait(10);
      for (const one of queue.splice(0)) one.reject(new Problem('unavailable', { retryAfter: 1 }));
    },
  };
}

async function commit(services: WriterServices, taken: readonly Waiting[]): Promise<void> {
  const events = taken.flatMap(one => one.events);
  try {
    const written = await writeBatch(services, events);
    services.metrics.events.inc({ outcome: 'stored' }, written.filter(one => one?.duplicate === false).length);
    services.metrics.events.inc({ outcome: 'known' }, written.filter(one => one?.duplicate === true).length);
    let place = 0;
    for (const one of taken) {
      one.resolve(written.slice(place, place + one.events.length));
      place += one.events.length;
    }
  } catch (error) {
    // Whoever sent them tries again: they are not kept here, where a crash would lose them.
    for (const one of taken) one.reject(error);
  }
}

/** One transaction; only when the data itself is refused a second one that finds out which event it was. */
async function writeBatch(services: WriterServices, events: readonly NewEvent[]): Promise<Written[]> {
  const nowMs = services.clock.now();
  await services.series.ensure('events', [nowMs]);
  try {
    return await transaction(services.pool, sql => storeEvents(sql, events, nowMs));
  } catch (error) {
    if (classifyFault(error) !== 'data') throw error;
    services.log.error({ err: error, events: events.length }, 'the database refused an event');
    return transaction(services.pool, sql => storeByHalves(sql, events, nowMs));
  }
}

async function storeIn(sql: Sql, services: WriterServices, events: readonly NewEvent[]): Promise<Written[]> {
  const nowMs = services.clock.now();
  await services.series.ensure('events', [nowMs]);
  return storeByHalves(sql, events, nowMs);
}
