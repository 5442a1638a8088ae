import type { Worker } from 'node:worker_threads';
import { ThreadBudget, type ThreadLimits } from './thread-budget.ts';
import { threads } from './threads.ts';

/** What its jobs work with. */
export type RenderThreadData = { connectionString: string; baseUrl: string; canMail: boolean; logLevel: string };
/** A job, or that the owner ends: the thread closes its sessions, and with `stop` ends, too. */
export type ThreadRequest<Job> = { job: Job; data: RenderThreadData } | 'stop' | 'rest';
/** What it answers to a job: first what it begins with, then the result, or why there is none. */
export type ThreadReply<Result> =
  | { begun: string }
  | { result: Result }
  | { failed: string; code: string | null }
  | 'resting';

/** The thread ended before it answered, of itself, by its budget, or because it was stopped. */
export class ThreadEnded extends Error {
  /** What the thread had begun with; null if nothing yet. */
  readonly begun: string | null;
  readonly wasStopped: boolean;

  constructor(run: { begun: string | null; wasStopped: boolean }, cause: unknown) {
    super('the thread ended', { cause });
    this.begun = run.begun;
    this.wasStopped = run.wasStopped;
  }
}

type Run<Result> = {
  thread: Worker;
  begun: string | null;
  budget: ThreadBudget;
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
};

/**
 * Runs jobs in a thread of its own, one at a time: nothing that customers write can block this event loop. A job that
 * exceeds its limits, or takes too much memory, ends the thread. It starts with the next job. Dispose to stop it.
 */
export class RenderThread<Job, Result> {
  readonly #script: URL;
  readonly #data: RenderThreadData;
  #thread: Worker | null = null;
  #run: Run<Result> | null = null;

  /** The script calls `serveJobs`. */
  constructor(script: URL, data: RenderThreadData) {
    this.#script = script;
    this.#data = data;
  }

  /** Calls must not overlap. Throws what the job failed with, or ThreadEnded. */
  async run(job: Job, limits: ThreadLimits): Promise<Result> {
    const thread = this.#thread ?? this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    using budget = new ThreadBudget(thread, limits);
    this.#run = { thread, begun: null, budget, resolve, reject };
    try {
      thread.postMessage({ job, data: this.#data } satisfies ThreadRequest<Job>);
      return await promise;
    } finally {
      this.#run = null;
    }
  }

  /** Ends the thread if it has no job and its heap has more bytes. A thread that ends meanwhile may never answer. */
  async stopIfLarger(heapMax: number): Promise<void> {
    const thread = this.#thread;
    const heap = await thread?.getHeapStatistics().catch(() => null);
    if (heap == null || heap.total_heap_size <= heapMax) return;
    // It may have ended, or got another job.
    if (this.#thread === thread && this.#run === null) void this.stop();
  }

  /** Ends the thread, with its job if it does not end soon; the next job starts another. */
  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    if (thread !== null) await threads.end(thread, this.#run !== null);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #start(): Worker {
    const thread = threads.start(this.#script);
    thread.unref();
    this.#thread = thread;
    thread.on('message', (reply: ThreadReply<Result>) => {
      const run = this.#run;
      if (run?.thread !== thread || reply === 'resting') return;
      if ('begun' in reply) {
        run.begun = reply.begun;
        run.budget.begin();
      } else if ('result' in reply) run.resolve(reply.result);
      else run.reject(Object.assign(new Error(reply.failed), reply.code === null ? {} : { code: reply.code }));
    });
    const onEnd = (cause: unknown) => {
      const wasStopped = this.#thread !== thread;
      if (!wasStopped) this.#thread = null;
      const run = this.#run;
      if (run?.thread === thread) run.reject(new ThreadEnded({ begun: run.begun, wasStopped }, cause));
    };
    thread.on('error', onEnd);
    thread.on('exit', onEnd);
    return thread;
  }
}
