/** Ran out of time. `phase` tells whether the target had been reached yet. */
export class DeadlineError extends Error {
  override name = 'DeadlineError';
}

/** One limit over all phases of an attempt: whoever waits registers how to be broken off. */
export class Deadline {
  readonly #endsMs: number;
  readonly #timer: NodeJS.Timeout;
  #break: ((error: DeadlineError) => void) | null = null;
  #expired = false;

  constructor(timeoutMs: number) {
    this.#endsMs = performance.now() + timeoutMs;
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#break?.(new DeadlineError());
    }, timeoutMs);
  }

  get leftMs(): number {
    return this.#endsMs - performance.now();
  }

  /** Runs one step that is broken off by calling `broken`, at once if time is up already. */
  onExpiry(broken: (error: DeadlineError) => void): void {
    if (this.#expired) broken(new DeadlineError());
    else this.#break = broken;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#break = null;
  }
}
