/** Lets some work run at once and some wait; more is refused. */
export class Turns {
  readonly #running: number;
  readonly #waiting: number;
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor({ running, waiting }: { running: number; waiting: number }) {
    this.#running = running;
    this.#waiting = waiting;
    this.#free = running;
  }

  /** Null if too many wait already. */
  async run<Result>(work: () => Promise<Result>): Promise<Result | null> {
    if (this.#free === 0) {
      if (this.#queue.length >= this.#waiting) return null;
      await new Promise<void>(resolve => this.#queue.push(resolve));
    } else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#free = Math.min(this.#running, this.#free + 1);
      else next();
    }
  }
}
