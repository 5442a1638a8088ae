export type BulkheadOptions = {
  /** How much of one key runs at the same time, at least 1; a function where that changes (then call `update`). */
  concurrency: number | ((key: string) => number);
  /** How many more of a key wait for their turn; any number if not given. */
  queuedMax?: number;
  /** For how long, at most; for as long as it takes if not given. */
  waitMaxMs?: number;
  /** The error of what may not wait, or has waited too long; `aborted`: its signal says that nobody waits for it. */
  refusal?(reason: 'full' | 'aborted'): Error;
};

type Waiter = { start(): void };
type Compartment = { running: number; waiters: Set<Waiter> };

/**
 * How much of a resource that many keys use one of them may take, so that what hangs of one delays no other. Within a
 * key it is first come, first served. Work that runs must not wait for another turn of the same bulkhead.
 */
export class Bulkhead {
  readonly #options: BulkheadOptions;
  readonly #compartments = new Map<string, Compartment>();

  constructor(options: BulkheadOptions) {
    this.#options = options;
  }

  /** Keys that run or wait. */
  get size(): number {
    return this.#compartments.size;
  }

  /** Runs `work` when the key has its turn. Rejects like `enter`. */
  async run<Result>(key: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const leave = await this.enter(key, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves when the key has its turn, with a function that ends it, which may be called twice. Or rejects. */
  async enter(key: string, signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted === true) throw this.#refusal('aborted');
    const compartment = this.#compartments.get(key) ?? { running: 0, waiters: new Set() };
    this.#compartments.set(key, compartment);
    if (compartment.running >= this.#concurrencyOf(key)) await this.#wait(compartment, signal);
    else compartment.running += 1;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      compartment.running -= 1;
      this.update(key);
    };
  }

  /** Starts what may start now: to be called when the key's concurrency has grown. */
  update(key: string): void {
    const compartment = this.#compartments.get(key);
    if (compartment === undefined) return;
    for (const waiter of compartment.waiters) {
      if (compartment.running >= this.#concurrencyOf(key)) return;
      compartment.running += 1;
      waiter.start();
    }
    if (compartment.running + compartment.waiters.size === 0) this.#compartments.delete(key);
  }

  #wait(compartment: Compartment, signal: AbortSignal | undefined): Promise<void> {
    const { queuedMax = Number.POSITIVE_INFINITY, waitMaxMs } = this.#options;
    if (compartment.waiters.size >= queuedMax) throw this.#refusal('full');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      compartment.waiters.delete(waiter);
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const waiter: Waiter = {
      start: () => {
        leave();
        resolve();
      },
    };
    const refuse = (reason: 'full' | 'aborted'): void => {
      leave();
      reject(this.#refusal(reason));
    };
    const abort = (): void => refuse('aborted');
    const timer = waitMaxMs === undefined ? undefined : setTimeout(() => refuse('full'), waitMaxMs);
    signal?.addEventListener('abort', abort);
    compartment.waiters.add(waiter);
    return promise;
  }

  #concurrencyOf(key: string): number {
    const { concurrency } = this.#options;
    return typeof concurrency === 'number' ? concurrency : concurrency(key);
  }

  #refusal(reason: 'full' | 'aborted'): Error {
    return this.#options.refusal?.(reason) ?? new Error(reason === 'full' ? 'too many wait' : 'aborted');
  }
}
