import { FairPool } from '#shared/fairness/fair-pool.ts';
import { RoundRobinQueue } from '#shared/fairness/round-robin-queue.ts';

/** How long a ping may wait for its turn. */
const turnWithinMs = 2000;

type Waiting = { lane: string; give: () => void };

/** A bounded number of pings at a time, as each is a process. Lanes share them as they share attempts. */
export class PingLimit {
  readonly #running: FairPool;
  readonly #waiting = new RoundRobinQueue<Waiting>();

  constructor(count: number, lanes: () => number) {
    this.#running = new FairPool(count, lanes);
  }

  /** A permit, free again once it is disposed; null if there was none within 2 s, or `limitMs` if that is less. */
  take(lane: string, limitMs: number): Promise<Disposable | null> {
    const { promise, resolve } = Promise.withResolvers<Disposable | null>();
    const waiting = { lane, give: () => resolve(this.#permit(lane)) };
    const timer = setTimeout(
      () => {
        this.#waiting.remove(lane, waiting);
        resolve(null);
      },
      Math.min(turnWithinMs, limitMs),
    );
    this.#waiting.add(lane, waiting);
    this.#give();
    return promise.finally(() => clearTimeout(timer));
  }

  #permit(lane: string): Disposable {
    return {
      [Symbol.dispose]: () => {
        this.#running.remove(lane, 1);
        this.#give();
      },
    };
  }

  #give(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#running.add(next.lane, 1);
      next.give();
    }
  }

  #next(): Waiting | undefined {
    return this.#waiting.take(lane => this.#running.fits(lane, 1));
  }
}
