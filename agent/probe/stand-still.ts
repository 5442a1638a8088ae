/** Shorter ones are ordinary work between two events, or the timer's own inaccuracy. */
const standStillMinMs = 20;
const tickMs = 5;
/** Lateness of the timer that counts. A stand-still begins up to a tick before the timer is due. */
const lateMinMs = standStillMinMs - tickMs;

/** A time in which this process did nothing that was due, by the monotonic clock in milliseconds. */
type StandStill = { fromMs: number; untilMs: number };

/**
 * Notices when the event loop stands still: work of our own, a collection of garbage, or a system that gives the
 * process no time. One timer ticks while anything is watched, and a stand-still is what it is late by: each of more
 * than 20 ms is seen, none of less than 15, and at most 5 ms of one are not counted. No work per check and phase.
 */
export class StandStillWatch {
  #timer: NodeJS.Timeout | null = null;
  #watched = 0;
  #dueMs = 0;
  #turnMs: number | null = null;
  /** The newest last; only those that something being watched may overlap. */
  #seen: StandStill[] = [];

  /** Starts to watch; call `end` once for each. Returns the time. */
  begin(): number {
    const nowMs = performance.now();
    if (this.#watched++ === 0) this.#arm(nowMs);
    return nowMs;
  }

  /** How long the loop stood still between two times; null if it did not. */
  end(fromMs: number, untilMs: number): number | null {
    const delayedMs = this.#overlap(fromMs, untilMs);
    if (--this.#watched === 0) this.#rest();
    return delayedMs > 0 ? Math.round(delayedMs) : null;
  }

  /**
   * When the events that are handled now were received: all of a turn at its beginning, however many are handled before
   * this one.
   */
  eventMs(): number {
    if (this.#turnMs !== null) return this.#turnMs;
    this.#turnMs = performance.now();
    setImmediate(() => {
      this.#turnMs = null;
    });
    return this.#turnMs;
  }

  #overlap(fromMs: number, untilMs: number): number {
    // Events of one turn come before the timer: its lateness is not noticed yet.
    let sumMs = lengthWithin({ fromMs: this.#dueMs, untilMs: performance.now() }, fromMs, untilMs);
    for (let place = this.#seen.length - 1; place >= 0; place--) {
      const seen = this.#seen[place];
      if (seen === undefined || seen.untilMs <= fromMs) break;
      sumMs += lengthWithin(seen, fromMs, untilMs);
    }
    return sumMs;
  }

  #arm(nowMs: number): void {
    this.#dueMs = nowMs + tickMs;
    if (this.#timer === null) this.#timer = setTimeout(() => this.#tick(), tickMs).unref();
    else this.#timer.refresh();
  }

  #tick(): void {
    const nowMs = performance.now();
    if (nowMs - this.#dueMs > lateMinMs) this.#seen.push({ fromMs: this.#dueMs, untilMs: nowMs });
    if (this.#watched > 0) this.#arm(nowMs);
  }

  #rest(): void {
    this.#seen = [];
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function lengthWithin({ fromMs, untilMs }: StandStill, startMs: number, endMs: number): number {
  const length = Math.min(untilMs, endMs) - Math.max(fromMs, startMs);
  return length > lateMinMs ? length : 0;
}
