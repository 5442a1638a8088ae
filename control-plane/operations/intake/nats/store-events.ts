import { errorMessage } from '#shared/error-message.ts';
import { withoutErased } from '../../../analytics/erasures/late.ts';
import type { NewEvent } from '../../../analytics/events/event.ts';
import { storeEvents as storeIn, type Written } from '../../../analytics/events/store.ts';
import { LinkMemory } from '../../../analytics/links/link-memory.ts';
import { classifyFault } from '../../../platform/db/errors.ts';
import type { SeriesStore } from '../../../platform/db/series/series.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { transaction, withSavepoint } from '../../../platform/db/transaction.ts';
import { commitByBisection, commitWithRetry } from '../../../platform/resilience/commit-retry.ts';
import type { StreamMessage } from './broker.ts';
import { type DeadLetter, deadLetterBody, withDeadLetters } from './dead-letters.ts';
import { decodeEvents, UnreadableMessage } from './message.ts';
import { isSuperseded } from './position-store.ts';
import type { SinkServices, StoreMessages } from './sink.ts';

export type EventSinkServices = SinkServices & { series: SeriesStore };

type Services = EventSinkServices & { links: LinkMemory };

type Item = { event: NewEvent; seq: number };

/** About a minute of errors that are neither the server's absence nor the data. */
const unknownErrorRetries = 60;

/** Events of several messages in one transaction with the position. What the database rejects becomes a dead letter. */
export function storeEvents(sink: EventSinkServices, stream: string): StoreMessages {
  const services = { ...sink, links: new LinkMemory() };
  return async (messages, move, signal) => {
    const read = messages.map(message => readMessage(stream, message));
    const batch: Batch = {
      stream,
      items: read.flatMap(message => message.items),
      deadLetters: read.flatMap(message => message.deadLetters),
      move: sql => move(sql, messages.at(-1)?.seq ?? 0),
    };
    if (await withRetry(services, batch, signal, unknownErrorRetries, write)) return;
    await withRetry(services, batch, signal, Number.POSITIVE_INFINITY, writeApart);
  };
}

type Batch = {
  stream: string;
  items: readonly Item[];
  deadLetters: readonly DeadLetter[];
  move(sql: Sql): Promise<void>;
};

/** False if the data is to blame. */
async function withRetry(
  services: Services,
  batch: Batch,
  signal: AbortSignal,
  retries: number,
  work: (services: Services, batch: Batch) => Promise<readonly Written[]>,
): Promise<boolean> {
  const outcome = await commitWithRetry(() => work(services, batch), {
    unknownErrorRetries: retries,
    signal,
    isFinal: isSuperseded,
    onFailure: (error, fault) =>
      services.log.error({ err: error, events: batch.items.length, fault }, 'events could not be stored'),
  });
  if (outcome !== null) count(services, outcome);
  return outcome !== null;
}

async function write(services: Services, { items, deadLetters, move }: Batch): Promise<readonly Written[]> {
  const { pool, series, clock, links } = services;
  const nowMs = clock.now();
  await series.ensure('events', [nowMs]);
  return transaction(pool, async sql => {
    await withDeadLetters(services, 'events', deadLetters, move)(sql);
    const kept = await withoutErased(sql, items, ({ event }) => event);
    return storeIn(
      sql,
      kept.map(({ event }) => event),
      nowMs,
      links,
    );
  });
}

/** In one transaction, too, so that an event without a dedup_id is stored once. */
async function writeApart(
  services: EventSinkServices,
  { stream, items, deadLetters, move }: Batch,
): Promise<readonly Written[]> {
  const { pool, series, clock } = services;
  const nowMs = clock.now();
  await series.ensure('events', [nowMs]);
  return transaction(pool, async sql => {
    const rejected: DeadLetter[] = [];
    const store = async (part: readonly Item[]): Promise<Written[] | null> => {
      const events = part.map(({ event }) => event);
      try {
        return await withSavepoint(sql, () => storeIn(sql, events, nowMs));
      } catch (error) {
        const fault = classifyFault(error);
        if (fault === 'away' || fault === 'retry') throw error;
        const [only] = part;
        if (part.length === 1 && only !== undefined)
          rejected.push({ stream, seq: only.seq, reason: errorMessage(error), body: deadLetterBody(only.event) });
        return null;
      }
    };
    const kept = await withoutErased(sql, items, ({ event }) => event);
    const written = await commitByBisection<Item, Written>(kept, store, null);
    await withDeadLetters(services, 'events', [...deadLetters, ...rejected], move)(sql);
    return written;
  });
}

function count({ metrics }: EventSinkServices, written: readonly Written[]): void {
  metrics.events.inc({ outcome: 'stored' }, written.filter(event => event?.duplicate === false).length);
  metrics.events.inc({ outcome: 'known' }, written.filter(event => event?.duplicate === true).length);
}

function readMessage(stream: string, { seq, data }: StreamMessage): { items: Item[]; deadLetters: DeadLetter[] } {
  try {
    return { items: decodeEvents(data).map(event => ({ event, seq })), deadLetters: [] };
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error;
    return { items: [], deadLetters: [{ stream, seq, reason: errorMessage(error), body: deadLetterBody(data) }] };
  }
}
