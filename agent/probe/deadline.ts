/** The time limit of an attempt has passed. */
export class DeadlineError extends Error {
  override name = 'DeadlineError';
}

/** One time limit for all phases of an attempt: each registers how to cancel it. Dispose to clear the timer. */
export class Deadline {
  readonly #endsMs: number;
  readonly #timer: NodeJS.Timeout;
  #onExpiry: ((error: DeadlineError) => void) | null = null;
  #expired = false;

  constructor(timeoutMs: number) {
    this.#endsMs = performance.now() + timeoutMs;
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#onExpiry?.(new DeadlineError());
    }, timeoutMs);
  }

  /** Milliseconds left; negative once it has passed. */
  get leftMs(): number {
    return this.#endsMs - performance.now();
  }

  /** Registers the cancellation of the current phase, replacing the previous one. Called at once if time is up. */
  onExpiry(cancel: (error: DeadlineError) => void): void {
    if (this.#expired) cancel(new DeadlineError());
    else this.#onExpiry = cancel;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#onExpiry = null;
  }
}

/** The value of a promise, unless the deadline passes before: then it rejects with DeadlineError. */
export function within<Value>(deadline: Deadline, promise: Promise<Value>): Promise<Value> {
  const expiry = Promise.withResolvers<never>();
  deadline.onExpiry(expiry.reject);
  return Promise.race([promise, expiry.promise]).finally(() => deadline.onExpiry(() => undefined));
}
