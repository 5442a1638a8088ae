import { errorMessage } from '#shared/error-message.ts';
import { classifyFault } from '../db/errors.ts';
import { commitWithRetry } from '../db/group-commit.ts';
import type { SeriesStore } from '../db/series.ts';
import type { Sql } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import type { NewEvent } from '../events/event.ts';
import { storeByBisection, storeEvents as storeIn, type Written } from '../events/store.ts';
import type { StreamMessage } from './broker.ts';
import { decodeEvents, UnreadableMessage } from './message.ts';
import { type Parked, parkedBody, parkIn } from './parked.ts';
import { Superseded } from './position-store.ts';
import type { SinkServices, StoreMessages } from './sink.ts';

export type EventSinkServices = SinkServices & { series: SeriesStore };

type Item = { event: NewEvent; seq: number };

/** Events of several messages in one transaction with the position. What the database rejects is parked. */
export function storeEvents(services: EventSinkServices, stream: string): StoreMessages {
  return async (messages, move, signal) => {
    const read = messages.map(message => readMessage(stream, message));
    const parked = read.flatMap(message => message.parked);
    const items = read.flatMap(message => message.items);
    const lastSeq = messages.at(-1)?.seq ?? 0;
    const commit = async () => {
      try {
        await write(services, stream, items, parked, sql => move(sql, lastSeq));
        return null;
      } catch (error) {
        if (error instanceof Superseded) return error;
        throw error;
      }
    };
    const outcome = await commitWithRetry(commit, {
      unknownErrorRetries: Number.POSITIVE_INFINITY,
      signal,
      onFailure: (error, fault) =>
        services.log.error({ err: error, events: items.length, fault }, 'events could not be stored'),
    });
    if (outcome !== null) throw outcome;
  };
}

/** One transaction, and only if the data is rejected a second one that finds the bad events. */
async function write(
  services: EventSinkServices,
  stream: string,
  items: readonly Item[],
  parked: readonly Parked[],
  move: (sql: Sql) => Promise<void>,
): Promise<void> {
  const { pool, series, clock } = services;
  const nowMs = clock.now();
  const events = items.map(({ event }) => event);
  await series.ensure('events', [nowMs]);
  try {
    const written = await transaction(pool, async sql => {
      await parkIn(services, 'events', parked, move)(sql);
      return storeIn(sql, events, nowMs);
    });
    count(services, written);
  } catch (error) {
    if (classifyFault(error) !== 'data') throw error;
    const written = await transaction(pool, async sql => {
      const written = await storeByBisection(sql, events, nowMs);
      const rejected = items
        .filter((_, index) => written[index] === null)
        .map(({ event, seq }) => ({ stream, seq, reason: errorMessage(error), body: parkedBody(event) }));
      await parkIn(services, 'events', [...parked, ...rejected], move)(sql);
      return written;
    });
    count(services, written);
  }
}

function count({ metrics }: EventSinkServices, written: readonly Written[]): void {
  metrics.events.inc({ outcome: 'stored' }, written.filter(event => event?.duplicate === false).length);
  metrics.events.inc({ outcome: 'known' }, written.filter(event => event?.duplicate === true).length);
}

function readMessage(stream: string, { seq, data }: StreamMessage): { items: Item[]; parked: Parked[] } {
  try {
    return { items: decodeEvents(data).map(event => ({ event, seq })), parked: [] };
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error;
    return { items: [], parked: [{ stream, seq, reason: errorMessage(error), body: parkedBody(data) }] };
  }
}
