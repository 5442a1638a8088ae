import { Worker } from 'node:worker_threads';
import type pg from 'pg';
import { minuteMs, secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { sqlOf } from '../../../platform/db/sql.ts';
import { noteFailureOf } from '../../../platform/failures/by-item.ts';
import { details } from './model.ts';
import { isAnyDue, reduceDetail } from './publication-store.ts';
import type { PublishOutcome } from './publish.ts';
import { ThreadBudget } from './thread-budget.ts';

/** What the thread is started with. */
export type PublisherThreadData = { connectionString: string; baseUrl: string; canMail: boolean; logLevel: string };
/** What the thread answers: first which page it claimed, then how it went. */
export type PublisherReply = { claimed: string } | { outcome: PublishOutcome } | { failed: string };

type PublisherOptions = {
  pool: pg.Pool;
  connectionString: string;
  baseUrl: string;
  canMail: boolean;
  log: Logger;
  busyMaxMs?: number;
  idleHeapMax?: number;
};

type Run = {
  thread: Worker;
  pageId: string | null;
  budget: ThreadBudget;
  resolve: (outcome: PublishOutcome) => void;
  reject: (error: Error) => void;
};

const busyMaxMs = 10 * secondMs;
const silentMaxMs = 3 * minuteMs;
const stopWithinMs = 5 * secondMs;
const idleLookMs = 5 * secondMs;
/** Bytes of heap with which a thread may wait for more work: V8 collects nothing while nothing happens. */
const idleHeapMax = 100 * 1024 * 1024;

/**
 * Publishes pages in a thread of its own: nothing that customers write can block this event loop. A page that keeps the
 * processor busy for ten seconds, or takes too much memory, ends the thread, and is published with less detail; other
 * pages go on at once. A thread that large pages left with much memory ends when nothing is due. Dispose to stop it.
 */
export class Publisher {
  readonly #pool: pg.Pool;
  readonly #data: PublisherThreadData;
  readonly #log: Logger;
  readonly #busyMaxMs: number;
  readonly #idleHeapMax: number;
  #lookAtMs = 0;
  #thread: Worker | null = null;
  #run: Run | null = null;
  #isStopped = false;

  constructor(options: PublisherOptions) {
    const { pool, connectionString, baseUrl, canMail, log } = options;
    this.#pool = pool;
    this.#data = { connectionString, baseUrl, canMail, logLevel: log.level };
    this.#log = log;
    this.#busyMaxMs = options.busyMaxMs ?? busyMaxMs;
    this.#idleHeapMax = options.idleHeapMax ?? idleHeapMax;
  }

  /** Publishes one due page; false if none is due. Calls must not overlap. The thread starts with the first page. */
  async publishDue(nowMs: number): Promise<boolean> {
    if (!(await isAnyDue(sqlOf(this.#pool), nowMs))) {
      void this.#endLargeThread();
      return false;
    }
    const thread = this.#thread ?? this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<PublishOutcome>();
    using budget = new ThreadBudget(thread, { busyMaxMs: this.#busyMaxMs, silentMaxMs });
    const run: Run = { thread, pageId: null, budget, resolve, reject };
    this.#run = run;
    try {
      thread.postMessage({ nowMs });
      const outcome = await promise;
      if (outcome?.error != null) {
        const item = { work: 'publishing', id: outcome.pageId, projectId: null, nowMs } as const;
        await noteFailureOf(this.#pool, item, new Error(outcome.error));
      }
      return outcome !== null;
    } catch (error) {
      if (run.pageId === null || this.#thread === thread || this.#isStopped) throw error;
      this.#log.error({ err: error, page: run.pageId }, 'a status page took too long to render: publishing less of it');
      await reduceDetail(sqlOf(this.#pool), run.pageId, details.length - 1, nowMs);
      return true;
    } finally {
      this.#run = null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    const thread = this.#thread;
    if (thread === null) return;
    this.#thread = null;
    const exited = new Promise(resolve => thread.once('exit', resolve));
    const timer = setTimeout(() => void thread.terminate(), stopWithinMs);
    thread.postMessage('stop');
    await exited;
    clearTimeout(timer);
  }

  /** Nobody waits for it: a thread that ends meanwhile may never answer. */
  async #endLargeThread(): Promise<void> {
    const thread = this.#thread;
    if (thread === null || performance.now() < this.#lookAtMs) return;
    this.#lookAtMs = performance.now() + idleLookMs;
    const heap = await thread.getHeapStatistics().catch(() => null);
    if (heap === null || heap.total_heap_size <= this.#idleHeapMax) return;
    // It may have ended, or got another page.
    if (this.#thread !== thread || this.#run !== null) return;
    this.#thread = null;
    thread.postMessage('stop');
  }

  #start(): Worker {
    const thread = new Worker(new URL('./publisher-thread.ts', import.meta.url), {
      workerData: this.#data,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    thread.unref();
    this.#thread = thread;
    thread.on('message', (reply: PublisherReply) => {
      const run = this.#run;
      if (run?.thread !== thread) return;
      if ('claimed' in reply) {
        run.pageId = reply.claimed;
        run.budget.begin();
      } else if ('outcome' in reply) run.resolve(reply.outcome);
      else run.reject(new Error(reply.failed));
    });
    const onEnd = (cause: unknown) => {
      if (this.#thread === thread) this.#thread = null;
      if (this.#run?.thread === thread) this.#run.reject(new Error('the publishing thread ended', { cause }));
    };
    thread.on('error', onEnd);
    thread.on('exit', onEnd);
    return thread;
  }
}
