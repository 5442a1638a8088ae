/** A run that waits for answers; one at a time. */
export type Waiter = Disposable & {
  /** Resolves at once if something came since the last time, else when something comes, or after a time. */
  wait(ms: number): Promise<void>;
};

/** Runs of this replica that wait for answers. */
export class Waiters {
  readonly #wakes = new Map<string, () => void>();

  open(runId: string): Waiter {
    let isWoken = false;
    let resolve = () => {};
    this.#wakes.set(runId, () => {
      isWoken = true;
      resolve();
    });
    return {
      wait: async ms => {
        if (!isWoken) {
          const { promise, ...waiting } = Promise.withResolvers<void>();
          resolve = waiting.resolve;
          const timer = setTimeout(resolve, ms);
          await promise;
          clearTimeout(timer);
        }
        isWoken = false;
      },
      [Symbol.dispose]: () => this.#wakes.delete(runId),
    };
  }

  wake(runId: string): void {
    this.#wakes.get(runId)?.();
  }
}
