import type { Worker } from 'node:worker_threads';

const lookEveryMs = 100;
/** A thread that has the processor for less than this share of the time it could use is not to blame. */
const leastShare = 0.25;

export type ThreadLimits = {
  /** Processor time after `begin`. */
  busyMaxMs: number;
  /** Time in all, whatever the thread does or waits for. */
  silentMaxMs: number;
};

/**
 * Ends a thread that computes for too long. Its processor time counts, so that a page does not lose its details because
 * others use the processor; on a machine that has nearly none left, the time for which the thread would have used it.
 */
export class ThreadBudget implements Disposable {
  readonly #thread: Worker;
  readonly #limits: ThreadLimits;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #activeBefore: number | null = null;
  #cpuBefore: number | null = null;
  #isLooking = false;
  #isOver = false;

  constructor(thread: Worker, limits: ThreadLimits) {
    this.#thread = thread;
    this.#limits = limits;
    this.#timer = setInterval(() => void this.#look(), lookEveryMs);
  }

  /** The thread has begun with what may take long. */
  begin(): void {
    this.#activeBefore = this.#activeMs();
    void this.#cpuMs().then(cpuMs => {
      this.#cpuBefore = cpuMs;
    });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { busyMaxMs, silentMaxMs } = this.#limits;
    const activeMs = this.#activeBefore === null ? 0 : this.#activeMs() - this.#activeBefore;
    if (performance.now() - this.#startedAt > silentMaxMs || activeMs > busyMaxMs / leastShare) return this.#end();
    if (this.#isLooking || activeMs <= busyMaxMs) return;
    this.#isLooking = true;
    const cpuMs = await this.#cpuMs();
    this.#isLooking = false;
    // What the thread was asked for may have ended meanwhile.
    if (this.#isOver) return;
    if (cpuMs !== null && this.#cpuBefore !== null && cpuMs - this.#cpuBefore > busyMaxMs) this.#end();
  }

  #end(): void {
    clearInterval(this.#timer);
    void this.#thread.terminate();
  }

  /** Milliseconds for which the event loop of the thread was not waiting, since it started. */
  #activeMs(): number {
    return this.#thread.performance.eventLoopUtilization().active;
  }

  /** Null if the thread has ended. */
  async #cpuMs(): Promise<number | null> {
    const usage = await this.#thread.cpuUsage().catch(() => null);
    return usage === null ? null : (usage.user + usage.system) / 1000;
  }
}
