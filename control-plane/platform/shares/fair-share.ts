import { Problem } from '../http/problem.ts';

/** `atOnce` of one project run at the same time, `waiting` more wait for their turn, for at most `waitMs`. */
export type ShareLimits = { atOnce: number; waiting: number; waitMs: number };

type Waiter = { start(): void };
type Line = { running: number; waiters: Set<Waiter> };

const retryAfterSeconds = 1;

/**
 * How much of a resource that all projects use one project may take. Within a project it is first come, first served.
 * Work that has a place must not wait for another of the same resource.
 */
export class FairShare {
  readonly #limits: ShareLimits;
  readonly #lines = new Map<string, Line>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Runs `work` on the project's share. Throws like `take`. */
  async run<Result>(projectId: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const release = await this.take(projectId, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Takes a place and resolves with a function that gives it back, which may be called twice. Throws `unavailable` if
   * too many wait, or for too long, and `request_timeout` if the signal says that nobody waits for the answer any more.
   */
  async take(projectId: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new Problem('request_timeout');
    const line = this.#lines.get(projectId) ?? { running: 0, waiters: new Set() };
    this.#lines.set(projectId, line);
    if (line.running >= this.#limits.atOnce) await this.#wait(line, signal);
    else line.running += 1;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(projectId, line);
    };
  }

  /** Projects that run or wait. */
  get size(): number {
    return this.#lines.size;
  }

  /** Resolves when a place was handed over: the count of running does not change then. */
  #wait(line: Line, signal: AbortSignal): Promise<void> {
    if (line.waiters.size >= this.#limits.waiting) throw overloaded();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        line.waiters.delete(waiter);
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        start: () => {
          leave();
          resolve();
        },
      };
      const abort = (): void => {
        leave();
        reject(new Problem('request_timeout'));
      };
      const timer = setTimeout(() => {
        leave();
        reject(overloaded());
      }, this.#limits.waitMs);
      signal.addEventListener('abort', abort);
      line.waiters.add(waiter);
    });
  }

  #release(projectId: string, line: Line): void {
    const [next] = line.waiters;
    if (next !== undefined) return next.start();
    line.running -= 1;
    if (line.running === 0) this.#lines.delete(projectId);
  }
}

function overloaded(): Problem {
  const detail = 'too many requests of the project are running or waiting; send fewer at once';
  return new Problem('unavailable', { retryAfter: retryAfterSeconds, detail });
}
