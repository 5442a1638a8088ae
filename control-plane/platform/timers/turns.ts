import type { Logger } from '#shared/log.ts';
import type { Timers } from '#shared/timers.ts';
import type { LeaseHolder } from '../db/lease.ts';
import { warnThrottled } from '../resilience/throttled-warning.ts';
import type { PauseWatch } from './pause-watch.ts';
import type { Timer } from './timers.ts';

export type Running = { leases: LeaseHolder; pauses: PauseWatch; signal: AbortSignal; log: Logger; time: Timers };

/** The turns of one timer: when it may have one, and what comes of it. */
export class Turns {
  readonly timer: Timer;
  readonly #running: Running;
  readonly #warn: (error: unknown) => void;
  #notBefore: number;

  constructor(timer: Timer, running: Running) {
    this.timer = timer;
    this.#running = running;
    this.#warn = warnThrottled(running.log, 'a timer failed and will try again', { timer: timer.name });
    this.#notBefore = running.time.now() + (timer.hold?.startMs ?? 0);
  }

  /** Whether nothing holds it. */
  mayRun(): boolean {
    const nowMs = this.#running.time.now();
    this.#notBefore = Math.max(this.#notBefore, this.#heldUntil());
    return nowMs >= this.#notBefore;
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { timer } = this;
    const { time } = this.#running;
    try {
      // A pause may end while the lease is asked for.
      if ((await this.#isOurs()) && time.now() >= this.#heldUntil()) await runRenewing(timer, this.#running);
      this.#notBefore = time.now() + (timer.restMs ?? 0);
    } catch (error) {
      this.fail(error);
    }
  }

  /** A failure of what it depends on is one of its own: it is held as after any other. */
  fail(error: unknown): void {
    if (!this.#running.signal.aborted) this.#warn(error);
    this.#notBefore = this.#running.time.now() + this.#gapMs;
  }

  async #isOurs(): Promise<boolean> {
    const { name, leaseMs } = this.timer;
    return leaseMs === undefined || (await this.#running.leases.take(name, leaseMs)) !== null;
  }

  get #gapMs(): number {
    return this.timer.hold?.gapMs ?? 0;
  }

  #heldUntil(): number {
    const { pauses, time } = this.#running;
    return this.#gapMs > 0 ? pauses.endedAt(time.now()) + this.#gapMs : Number.NEGATIVE_INFINITY;
  }
}

async function runRenewing(timer: Timer, { leases, signal, time }: Running): Promise<unknown> {
  const { name, leaseMs, renewsLease = false } = timer;
  if (leaseMs === undefined || !renewsLease) return timer.run(signal);
  let taking: Promise<void> | null = null;
  const renew = async () => {
    await leases.take(name, leaseMs).catch(() => null);
    taking = null;
  };
  const renewing = time.every(leaseMs / 3, () => {
    taking ??= renew();
  });
  try {
    return await timer.run(signal);
  } finally {
    renewing.cancel();
    await taking;
  }
}
