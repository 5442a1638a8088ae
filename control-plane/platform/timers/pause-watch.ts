import { processTimers, type Timer, type Timers } from '#shared/timers.ts';

const tickMs = 500;

/** Longer between two turns of the event loop is a pause: SIGSTOP, live migration, a laptop's lid, a blocked loop. */
export const pauseMs = 5000;

/**
 * Notices that the process stood still. What happened meanwhile waits unread in the sockets, so whoever judges by
 * silence must hold for a while. By the wall clock, since the monotonic one stands still while a machine sleeps.
 */
export class PauseWatch implements Disposable {
  readonly #wall: () => number;
  readonly #timer: Timer;
  #tickedAt: number;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(wall: () => number = () => Date.now(), timers: Timers = processTimers) {
    this.#wall = wall;
    this.#tickedAt = wall();
    this.#timer = timers.every(tickMs, () => this.endedAt(timers.now()), { ref: false });
  }

  /** When the last pause ended, on the caller's clock; -Infinity if there was none. It notices one that ends now. */
  endedAt(nowMs: number): number {
    const wallMs = this.#wall();
    if (wallMs - this.#tickedAt > pauseMs) this.#endedAt = nowMs;
    this.#tickedAt = wallMs;
    return this.#endedAt;
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
  }
}
