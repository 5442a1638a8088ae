import PQueue from 'p-queue';
import type { Assignment } from '#shared/protocol/messages.ts';
import { needsSecondAttempt, type Occasion, type UnspooledResult } from './check.ts';

/** Makes one attempt. Must not throw for what a target does. */
export type MakeAttempt = (assignment: Assignment, occasion: Occasion) => Promise<UnspooledResult>;

export type RunnerOptions = {
  concurrency: number;
  makeAttempt: MakeAttempt;
  /** Takes each result over as soon as it is there. */
  report: (result: UnspooledResult) => void;
  failed: (error: unknown) => void;
  secondAttemptAfterMs?: number;
};

const waitingPerPlace = 2;

/** Makes attempts with bounded concurrency: attempt 1, and attempt 2 a second after a failure. */
export class Runner {
  readonly #queue: PQueue;
  readonly #options: RunnerOptions;
  readonly #runs = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: options.concurrency });
  }

  /** Attempts that wait for a place. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Starts a run; null when too many wait already. A confirmation goes before scheduled ones. */
  start(assignment: Assignment, kind: Occasion['kind'], scheduledAt: number): Promise<void> | null {
    if (this.#stopped || this.#queue.size >= this.#options.concurrency * waitingPerPlace) return null;
    const run = this.#run(assignment, kind, scheduledAt).catch(this.#options.failed);
    this.#runs.add(run);
    run.then(() => this.#runs.delete(run));
    return run;
  }

  /** Starts nothing more and waits for what runs, at most so long; true when all came to its end. */
  async drain(limitMs: number): Promise<boolean> {
    this.#stopped = true;
    const limit = Promise.withResolvers<false>();
    const timer = setTimeout(() => limit.resolve(false), limitMs);
    const done = Promise.all(this.#runs).then(() => true);
    return Promise.race([done, limit.promise]).finally(() => clearTimeout(timer));
  }

  async #run(assignment: Assignment, kind: Occasion['kind'], scheduledAt: number): Promise<void> {
    const first = await this.#attempt(assignment, { kind, scheduledAt, attempt: 1 });
    if (!needsSecondAttempt(first)) return;
    await new Promise(resolve => setTimeout(resolve, this.#options.secondAttemptAfterMs ?? 1000));
    await this.#attempt(assignment, { kind, scheduledAt, attempt: 2 });
  }

  #attempt(assignment: Assignment, occasion: Occasion): Promise<UnspooledResult> {
    const priority = occasion.kind === 'confirm' || occasion.attempt === 2 ? 1 : 0;
    const attempt = async () => {
      const result = await this.#options.makeAttempt(assignment, occasion);
      this.#options.report(result);
      return result;
    };
    return this.#queue.add(attempt, { priority });
  }
}
