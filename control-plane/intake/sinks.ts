import PQueue from 'p-queue';
import { runSink, type StoreMessages } from './sink.ts';
import { type EventSinkServices, storeEvents } from './store-events.ts';
import { type ResultSinkServices, storeResults } from './store-results.ts';

/** Transactions at the same time, of each kind: as many as an intake without a broker has. */
const atOnce = 2;

/** Stores what waits in all streams that no other process stores. Disposing it finishes what is under way. */
export function openSinks(services: ResultSinkServices & EventSinkServices): AsyncDisposable {
  const stop = new AbortController();
  const turns = { results: new PQueue({ concurrency: atOnce }), events: new PQueue({ concurrency: atOnce }) };
  const running = services.broker.streams.map(stream => {
    const store = (stream.kind === 'results' ? storeResults : storeEvents)(services, stream.name);
    const inTurn: StoreMessages = (...work) => turns[stream.kind].add(() => store(...work));
    return runSink(services, stream, inTurn, stop.signal);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await Promise.allSettled(running);
    },
  };
}
