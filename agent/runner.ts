import { FairPool } from '#shared/fairness/fair-pool.ts';
import { RoundRobinQueue } from '#shared/fairness/round-robin-queue.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { processTimers, type Timers } from '#shared/timers.ts';
import { laneOf } from './lanes/lane.ts';
import { type Attempt, needsSecondAttempt, type UnspooledResult } from './probe/check.ts';

/** Makes one attempt. Must not throw because of anything a target does. */
export type MakeAttempt = (assignment: Assignment, attempt: Attempt) => Promise<UnspooledResult>;

export type RunnerOptions = {
  concurrency: number;
  /** How many lanes the assignments have at present. */
  lanes: () => number;
  makeAttempt: MakeAttempt;
  /** Receives each result as soon as its attempt ends. */
  report: (result: UnspooledResult) => void;
  /** Receives what `makeAttempt` or `report` threw; the run ends there. */
  onError: (error: unknown) => void;
  secondAttemptAfterMs?: number;
  timers?: Timers;
};

type Job = { lane: string; run: () => Promise<void> };

/** Attempts that may wait, as a multiple of the concurrency. */
const queueFactor = 2;

/**
 * Runs attempts with bounded concurrency and a bounded queue, both shared by lanes: attempt 1, and attempt 2 one second
 * after a failure. Slow targets of one lane leave slots for the others.
 */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #timers: Timers;
  readonly #slots: FairPool;
  readonly #queued: FairPool;
  readonly #waiting = new RoundRobinQueue<Job>();
  readonly #runs = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#timers = options.timers ?? processTimers;
    this.#slots = new FairPool(options.concurrency, options.lanes);
    this.#queued = new FairPool(options.concurrency * queueFactor, options.lanes);
  }

  /** Attempts waiting in the queue. */
  get queued(): number {
    return this.#queued.used;
  }

  /** Starts a run, or returns null if its lane's share of the queue is full. */
  start(assignment: Assignment, kind: Attempt['kind'], scheduledAt: number): Promise<void> | null {
    if (this.#stopped || !this.#queued.fits(laneOf(assignment), 1)) return null;
    const run = this.#run(assignment, kind, scheduledAt).catch(this.#options.onError);
    this.#runs.add(run);
    run.then(() => this.#runs.delete(run));
    return run;
  }

  /** Accepts no more runs and waits for those in progress, at most `limitMs`; true if all have ended. */
  async drain(limitMs: number): Promise<boolean> {
    this.#stopped = true;
    const limit = Promise.withResolvers<false>();
    const timer = this.#timers.after(limitMs, () => limit.resolve(false));
    const done = Promise.all(this.#runs).then(() => true);
    return Promise.race([done, limit.promise]).finally(() => timer.cancel());
  }

  async #run(assignment: Assignment, kind: Attempt['kind'], scheduledAt: number): Promise<void> {
    const first = await this.#attempt(assignment, { kind, scheduledAt, attempt: 1 });
    if (!needsSecondAttempt(first)) return;
    await this.#timers.wait(this.#options.secondAttemptAfterMs ?? 1000);
    await this.#attempt(assignment, { kind, scheduledAt, attempt: 2 });
  }

  /** Queues an attempt. Confirmations and second attempts overtake the others of their lane. */
  #attempt(assignment: Assignment, attempt: Attempt): Promise<UnspooledResult> {
    const { promise, resolve, reject } = Promise.withResolvers<UnspooledResult>();
    const { makeAttempt, report } = this.#options;
    const run = async () => {
      const result = await makeAttempt(assignment, attempt);
      report(result);
      resolve(result);
    };
    const lane = laneOf(assignment);
    this.#queued.add(lane, 1);
    this.#waiting.add(lane, { lane, run: () => run().catch(reject) }, isUrgent(attempt));
    this.#startWaiting();
    return promise;
  }

  #startWaiting(): void {
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      const { lane, run } = job;
      this.#queued.remove(lane, 1);
      this.#slots.add(lane, 1);
      void run().then(() => {
        this.#slots.remove(lane, 1);
        this.#startWaiting();
      });
    }
  }

  #next(): Job | undefined {
    return this.#waiting.take(lane => this.#slots.fits(lane, 1));
  }
}

function isUrgent({ kind, attempt }: Attempt): boolean {
  return kind === 'confirm' || attempt === 2;
}
