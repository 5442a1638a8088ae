import { classifyFault } from '../db/errors.ts';

/** After a failure for want of the database nobody asks it again for this long. */
const pauseMs = 1000;

/** Work that has something to fall back on while the database is away, and does not wait for it each time. */
export class CircuitBreaker {
  #untilMs = 0;

  /** The result of `work`, or that of `otherwise` if the database is away. Other errors are thrown. */
  async attempt<Result>(work: () => Promise<Result>, otherwise: (error: unknown) => Result): Promise<Result> {
    if (performance.now() < this.#untilMs) return otherwise(new Error('the database is away'));
    try {
      return await work();
    } catch (error) {
      if (classifyFault(error) !== 'away') throw error;
      this.#untilMs = performance.now() + pauseMs;
      return otherwise(error);
    }
  }
}
