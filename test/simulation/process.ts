import type { Timer, Timers } from '#shared/timers.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A process from its start to its end. What happens while it is stopped (SIGSTOP) reaches it when it goes on. */
export class Process implements Timers {
  readonly name: string;
  readonly #time: VirtualTime;
  readonly #startedAt: number;
  readonly #ends: (() => void)[] = [];
  /** Happens while it waits for a store the next time. */
  trap: (() => void) | null = null;
  #alive = true;
  #stoppedAt: number | null = null;
  #missed: (() => void)[] = [];
  #sleptMs = 0;
  /** How far the machine's wall clock is off. */
  wallOffsetMs = 0;
  /** How many milliseconds the monotonic clock gains in one. */
  drift = 0;

  constructor(name: string, time: VirtualTime) {
    this.name = name;
    this.#time = time;
    this.#startedAt = time.now;
  }

  get alive(): boolean {
    return this.#alive;
  }

  get stopped(): boolean {
    return this.#stoppedAt !== null;
  }

  /** Its name, and when it started: another for each process of a machine. */
  get id(): string {
    return `${this.name}@${this.#startedAt}`;
  }

  /** The monotonic clock, which stands still while the machine sleeps. */
  now = (): number => (this.#time.now - this.#startedAt - this.#sleptMs) * (1 + this.drift);

  /** The monotonic clock, set to the right time at the start of the process. */
  steady = (): number => this.#startedAt + this.now();

  /** The wall clock. */
  wall = (): number => Math.round(this.#time.now + this.wallOffsetMs);

  /** Calls now, when the process goes on, or never if it ends before. */
  reach(call: () => void): void {
    if (!this.#alive) return;
    if (this.#stoppedAt === null) call();
    else this.#missed.push(call);
  }

  after = (ms: number, call: () => void): Timer => {
    if (!this.#alive) return { cancel: () => {} };
    let cancelled = false;
    const timer = this.#time.after(ms / (1 + this.drift), () => this.reach(() => void (cancelled || call())));
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  };

  every = (ms: number, call: () => void): Timer => {
    let timer: Timer = { cancel: () => {} };
    const arm = () => {
      timer = this.after(ms, () => {
        arm();
        call();
      });
    };
    arm();
    return { cancel: () => timer.cancel() };
  };

  wait = (ms: number, { signal }: { signal?: AbortSignal } = {}): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const abort = () => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = this.after(ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });

  stop(): void {
    this.#stoppedAt ??= this.#time.now;
  }

  /** `slept`: it was the whole machine, and its monotonic clock stood still. */
  goOn(slept = false): void {
    if (this.#stoppedAt === null || !this.#alive) return;
    if (slept) this.#sleptMs += this.#time.now - this.#stoppedAt;
    this.#stoppedAt = null;
    const missed = this.#missed;
    this.#missed = [];
    for (const call of missed) this.reach(call);
  }

  /** Kill -9: nothing of it happens any more. */
  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#missed = [];
    for (const end of this.#ends) end();
  }

  spring(): void {
    const { trap } = this;
    this.trap = null;
    trap?.();
  }

  /** Called when the process is killed, by what outlives it. */
  onEnd(call: () => void): void {
    this.#ends.push(call);
  }
}
