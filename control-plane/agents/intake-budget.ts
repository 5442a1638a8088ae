/** What one session may send: a burst at once, then so much per second. */
export type IntakeLimits = { perSecond: number; burst: number };

export const messageLimits: IntakeLimits = { perSecond: 50, burst: 200 };
/** A spool of an hour at 100 checks a second is handed over in about a minute. */
export const resultLimits: IntakeLimits = { perSecond: 5000, burst: 20_000 };

/**
 * A token bucket that never refuses: `charge` returns how long to stop reading, so that a flood waits in the sender's
 * own buffers. Time in milliseconds on any monotonic clock.
 */
export class IntakeBudget {
  readonly #limits: IntakeLimits;
  #tokens: number;
  #atMs: number;

  constructor(limits: IntakeLimits, nowMs: number) {
    this.#limits = limits;
    this.#tokens = limits.burst;
    this.#atMs = nowMs;
  }

  /** Milliseconds until the budget is even again; 0 if nothing is owed. */
  charge(count: number, nowMs: number): number {
    const { perSecond, burst } = this.#limits;
    const refill = (Math.max(0, nowMs - this.#atMs) * perSecond) / 1000;
    this.#tokens = Math.min(burst, this.#tokens + refill) - count;
    this.#atMs = nowMs;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1000) / perSecond);
  }
}
