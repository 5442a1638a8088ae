import PQueue from 'p-queue';
import { wait } from '#shared/wait.ts';
import { sqlOf } from '../../../platform/db/sql.ts';
import { warnThrottled } from '../../../platform/resilience/throttled-warning.ts';
import { forgetDeadWorkers, readHolders, workerLease } from './holder-store.ts';
import { runSink, type SinkServices, type StoreMessages } from './sink.ts';
import { type EventSinkServices, storeEvents } from './store-events.ts';
import { type ResultSinkServices, storeResults } from './store-results.ts';
import { assignStreams } from './stream-assignment.ts';
import { type IntakeKind, type IntakeStream, intakeKinds } from './streams.ts';

/** `worker` is unique to this process, and the holder of the leases. */
export type SinksServices = ResultSinkServices & EventSinkServices & { worker: string };

/** Transactions at the same time, of each kind. Results of two streams are of different monitors. */
const atOnce = 3;
const lookMs = 2000;
/** Shorter than the lease of a stream, so that who is dead is given none when its streams become free. */
const presenceMs = 10_000;

/**
 * Stores what waits in the streams that are assigned to us: live workers have equally many. Disposing it finishes what
 * is under way and gives the streams back.
 */
export function openSinks(services: SinksServices): AsyncDisposable {
  const { broker, leases, log, worker } = services;
  const stop = new AbortController();
  const sinks = new Sinks(services);
  const warn = warnThrottled(log, 'the streams could not be divided among the workers', {});
  const running = (async () => {
    await forgetDeadWorkers(sqlOf(services.pool)).catch(warn);
    while (!stop.signal.aborted) {
      try {
        // Whoever cannot reach the broker is not there, and so gives its streams to those who can.
        await broker.reach().then(() => leases.take(workerLease(worker), presenceMs), warn);
        if (!stop.signal.aborted) await adjust(services, sinks);
      } catch (error) {
        warn(error);
      }
      await wait(lookMs, { signal: stop.signal }).catch(() => {});
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      await leases.release(workerLease(worker)).catch(() => {});
      await sinks.stop();
    },
  };
}

/** Gives up what others should have, and takes what is ours unless another still has it. */
async function adjust({ broker, pool, worker }: SinksServices, sinks: Sinks): Promise<void> {
  const { workers, holders } = await readHolders(sqlOf(pool));
  const assigned = assignStreams(broker.streams, workers, holders);
  for (const stream of broker.streams) {
    const holder = holders.get(stream.name) ?? worker;
    if (assigned.get(stream.name) !== worker) sinks.end(stream);
    else if (holder === worker) sinks.start(stream);
  }
}

/** The streams that this process stores. */
class Sinks {
  readonly #services: SinkServices;
  readonly #stores: ReadonlyMap<string, StoreMessages>;
  readonly #warnings: ReadonlyMap<string, (error: unknown) => void>;
  readonly #running = new Map<string, { kind: IntakeKind; abort: AbortController; ended: Promise<void> }>();

  constructor(services: ResultSinkServices & EventSinkServices) {
    const { broker, log, metrics } = services;
    const turns = { results: new PQueue({ concurrency: atOnce }), events: new PQueue({ concurrency: atOnce }) };
    this.#services = services;
    this.#stores = new Map(
      broker.streams.map(({ name, kind }) => {
        const store = (kind === 'results' ? storeResults : storeEvents)(services, name);
        return [
          name,
          (...work) =>
            turns[kind].add(async () => {
              await store(...work);
              metrics.commits.mark(`stored_${kind}`);
            }),
        ];
      }),
    );
    const message = 'a stream could not be stored and is tried again';
    this.#warnings = new Map(broker.streams.map(({ name }) => [name, warnThrottled(log, message, { stream: name })]));
  }

  /** Does nothing if it is stored already. */
  start(stream: IntakeStream): void {
    const { name, kind } = stream;
    const store = this.#stores.get(name);
    if (store === undefined || this.#running.has(name)) return;
    const abort = new AbortController();
    const ended = runSink(this.#services, stream, store, abort.signal)
      .catch(error => this.#warnings.get(name)?.(error))
      .finally(() => {
        this.#running.delete(name);
        this.#count();
      });
    this.#running.set(name, { kind, abort, ended });
    this.#count();
  }

  /** Finishes the batch under way, then gives the stream up. */
  end({ name }: IntakeStream): void {
    this.#running.get(name)?.abort.abort();
  }

  async stop(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { abort } of running) abort.abort();
    await Promise.all(running.map(({ ended }) => ended));
  }

  #count(): void {
    const kinds = [...this.#running.values()].map(({ kind }) => kind);
    for (const kind of intakeKinds)
      this.#services.metrics.intakeStreams.set({ kind }, kinds.filter(other => other === kind).length);
  }
}
