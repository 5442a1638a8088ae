import { Worker } from 'node:worker_threads';
import { secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { StatusPagePatch } from '../status-page.ts';
import type { StatusPageRow } from '../store.ts';
import { details } from './model.ts';
import type { PublisherThreadData } from './publisher.ts';
import { ThreadBudget } from './thread-budget.ts';

/** A page of the caller's project, with the changes to look at. */
export type PreviewRequest = { row: StatusPageRow; patch: StatusPagePatch; nowMs: number };
/** What the thread is asked for: `level` indexes the levels of detail. */
export type PreviewJob = PreviewRequest & { level: number };
/** What the thread answers: first that it begins, then the document, or why there is none. */
export type PreviewReply = { begun: true } | { html: string } | { failed: string; code: string | null };

type PreviewerOptions = PublisherThreadData & { log: Logger; busyMaxMs?: number };

type Run = {
  thread: Worker;
  budget: ThreadBudget;
  /** Null: the thread ended. */
  resolve: (html: string | null) => void;
  reject: (error: Error) => void;
};

/** With fewer days than the page; then without days, for one that takes too long. */
const levels = [1, details.length - 1];
const busyMaxMs = 5 * secondMs;
const silentMaxMs = 30 * secondMs;
const stopWithinMs = 5 * secondMs;
const idleMs = 10 * secondMs;
/** A project waits for one preview at once, by its share of `reports`. */
const waitingMax = 20;

/**
 * Renders previews one at a time in a thread of its own: nothing that customers write can block this event loop. A page
 * that keeps a processor busy for five seconds ends it, and is tried once more with less. The thread starts with the
 * first preview and ends ten seconds after the last. Dispose to stop it.
 */
export class Previewer {
  readonly #data: PublisherThreadData;
  readonly #log: Logger;
  readonly #busyMaxMs: number;
  #thread: Worker | null = null;
  #run: Run | null = null;
  #idle: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor({ log, busyMaxMs: limit = busyMaxMs, ...data }: PreviewerOptions) {
    this.#data = data;
    this.#log = log;
    this.#busyMaxMs = limit;
  }

  /** The document. Throws `unavailable` if too many wait, or if the page takes too long in its least form, too. */
  async render(request: PreviewRequest): Promise<string> {
    if (this.#waiting >= waitingMax)
      throw new Problem('unavailable', { retryAfter: 1, detail: 'too many previews wait to be rendered' });
    this.#waiting += 1;
    const turn = this.#last.then(() => this.#renderWithLess(request));
    this.#last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const thread = this.#stop();
    if (thread === null) return;
    const exited = new Promise(resolve => thread.once('exit', resolve));
    const timer = setTimeout(() => void thread.terminate(), stopWithinMs);
    await exited;
    clearTimeout(timer);
  }

  async #renderWithLess(request: PreviewRequest): Promise<string> {
    clearTimeout(this.#idle);
    try {
      for (const level of levels) {
        const html = await this.#attempt({ ...request, level });
        if (html !== null) return html;
      }
    } finally {
      this.#idle = setTimeout(() => this.#stop(), idleMs).unref();
    }
    throw new Problem('unavailable', { detail: 'the page took too long to render' });
  }

  async #attempt(job: PreviewJob): Promise<string | null> {
    const thread = this.#thread ?? this.#start();
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    using budget = new ThreadBudget(thread, { busyMaxMs: this.#busyMaxMs, silentMaxMs });
    this.#run = { thread, budget, resolve, reject };
    try {
      thread.postMessage(job);
      return await promise;
    } finally {
      this.#run = null;
    }
  }

  #stop(): Worker | null {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = null;
    thread?.postMessage('stop');
    return thread;
  }

  #start(): Worker {
    const thread = new Worker(new URL('./previewer-thread.ts', import.meta.url), {
      workerData: this.#data,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    thread.unref();
    this.#thread = thread;
    thread.on('message', (reply: PreviewReply) => {
      const run = this.#run;
      if (run?.thread !== thread) return;
      if ('begun' in reply) run.budget.begin();
      else if ('html' in reply) run.resolve(reply.html);
      else run.reject(Object.assign(new Error(reply.failed), reply.code === null ? {} : { code: reply.code }));
    });
    const onEnd = (cause: unknown) => {
      const run = this.#run?.thread === thread ? this.#run : null;
      // Stopped in the middle: nobody waits for ever.
      if (this.#thread !== thread)
        return run?.reject(new Problem('unavailable', { detail: 'the preview was stopped' }));
      this.#thread = null;
      this.#log.warn(
        { err: new Error('the thread of previews ended', { cause }) },
        'a preview took too long to render',
      );
      run?.resolve(null);
    };
    thread.on('error', onEnd);
    thread.on('exit', onEnd);
    return thread;
  }
}
