import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { classifyFault } from '../../platform/db/errors.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import type { SeriesStore } from '../../platform/db/series/series.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import { Problem } from '../../platform/http/problem.ts';
import { LinkMemory } from '../links/link-memory.ts';
import type { NewEvent } from './event.ts';
import { storeByBisection, storeEvents, type Written } from './store.ts';

/** Stores the events of all requests in group commits. It lives as long as the program and ends with `stop`. */
export type EventWriter = {
  /**
   * Resolves after the commit of events of one project. Throws `unavailable`, with nothing stored, if the queue or the
   * project's part of it is full, or the database away.
   */
  write(events: readonly NewEvent[]): Promise<Written[]>;
  /** Writes in the caller's transaction, without the queue. */
  writeIn(sql: Sql, events: readonly NewEvent[]): Promise<Written[]>;
  /** How long the oldest event that is not committed has waited, in milliseconds. */
  waitingMs(): number;
  /** Commits what is queued within the given time, then refuses the rest with `unavailable`. */
  stop(withinMs: number): Promise<void>;
};

export type WriterServices = { pool: pg.Pool; series: SeriesStore; clock: Clock; log: Logger; metrics: Metrics };

const batchMax = 2000;
const queuedMax = 40_000;
/** However much one project sends, half of the queue is for the others. */
const projectQueuedMax = queuedMax / 2;
const queuedBytesMax = 128 * 1024 * 1024;
const concurrency = 2;
/** Roughly what an event takes in memory beside its props. */
const bytesPerEvent = 500;
/** A large event weighs more than one, or a project could fill the queue by its bytes. */
const bytesOfOne = 4096;

export function createEventWriter(services: WriterServices): EventWriter {
  const { metrics } = services;
  const links = new LinkMemory();
  const commits = createGroupCommit<NewEvent, Written>({
    batchMax,
    queuedMax,
    queuedPerKeyMax: projectQueuedMax,
    weightOf,
    concurrency,
    cost: { of: bytesOf, max: queuedBytesMax },
    // No retry: a queue in memory would not survive a crash, so the senders repeat their requests.
    commit: async events => {
      const written = await writeBatch(services, events, links);
      metrics.commits.mark('events');
      metrics.events.inc({ outcome: 'stored' }, written.filter(event => event?.duplicate === false).length);
      metrics.events.inc({ outcome: 'known' }, written.filter(event => event?.duplicate === true).length);
      return written;
    },
    refusal: () => new Problem('unavailable', { retryAfter: 1 }),
    onQueued: count => metrics.eventsQueued.set(count),
  });
  return {
    write: async events => {
      const project = events[0]?.projectId ?? '';
      const weight = events.reduce((sum, event) => sum + weightOf(event), 0);
      if (commits.full(weight, project))
        throw new Problem('unavailable', { retryAfter: 1, detail: 'too many events are waiting to be stored' });
      return commits.add(events, project);
    },
    writeIn: async (sql, events) => {
      const nowMs = services.clock.now();
      await services.series.ensure('events', [nowMs]);
      return storeByBisection(sql, events, nowMs);
    },
    waitingMs: commits.waitingMs,
    stop: commits.stop,
  };
}

function bytesOf({ props }: NewEvent): number {
  return (props?.length ?? 0) + bytesPerEvent;
}

function weightOf(event: NewEvent): number {
  return Math.ceil(bytesOf(event) / bytesOfOne);
}

/** One transaction, and only if the data is rejected a second one that finds the bad events. */
async function writeBatch(
  services: WriterServices,
  events: readonly NewEvent[],
  links: LinkMemory,
): Promise<Written[]> {
  const nowMs = services.clock.now();
  await services.series.ensure('events', [nowMs]);
  try {
    return await transaction(services.pool, sql => storeEvents(sql, events, nowMs, links));
  } catch (error) {
    if (classifyFault(error) !== 'data') throw error;
    services.log.error({ err: error, events: events.length }, 'the database rejected an event');
    return transaction(services.pool, sql => storeByBisection(sql, events, nowMs));
  }
}
