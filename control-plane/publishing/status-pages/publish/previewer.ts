import { secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { StatusPagePatch } from '../status-page.ts';
import type { StatusPageRow } from '../store.ts';
import { details } from './model.ts';
import { RenderThread, type RenderThreadData, ThreadEnded } from './thread/render-thread.ts';

/** A page of the caller's project, with the changes to look at. */
export type PreviewRequest = { row: StatusPageRow; patch: StatusPagePatch; nowMs: number };
/** What the thread is asked for: `level` indexes the levels of detail. */
export type PreviewJob = PreviewRequest & { level: number };

type PreviewerOptions = RenderThreadData & { log: Logger; busyMaxMs?: number };

/** With fewer days than the page; then without days, for one that takes too long. */
const levels = [1, details.length - 1];
const busyMaxMs = 5 * secondMs;
const silentMaxMs = 30 * secondMs;
const idleMs = 10 * secondMs;
/** A project waits for one preview at once, by its bulkhead of `reports`. */
const waitingMax = 20;

/**
 * Renders previews one at a time in a thread of its own. A page that keeps a processor busy for five seconds ends it,
 * and is tried once more with less. The thread starts with the first preview and ends ten seconds after the last.
 * Dispose to stop it.
 */
export class Previewer {
  readonly #log: Logger;
  readonly #limits: { busyMaxMs: number; silentMaxMs: number };
  readonly #thread: RenderThread<PreviewJob, string>;
  #idle: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor({ log, busyMaxMs: limit = busyMaxMs, ...data }: PreviewerOptions) {
    this.#log = log;
    this.#limits = { busyMaxMs: limit, silentMaxMs };
    this.#thread = new RenderThread(new URL('./previewer-thread.ts', import.meta.url), data);
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
    clearTimeout(this.#idle);
    await this.#thread[Symbol.asyncDispose]();
  }

  async #renderWithLess(request: PreviewRequest): Promise<string> {
    clearTimeout(this.#idle);
    try {
      for (const level of levels) {
        const html = await this.#attempt({ ...request, level });
        if (html !== null) return html;
      }
    } finally {
      this.#idle = setTimeout(() => void this.#thread.stop(), idleMs).unref();
    }
    throw new Problem('unavailable', { detail: 'the page took too long to render' });
  }

  /** Null if it took too long. */
  async #attempt(job: PreviewJob): Promise<string | null> {
    try {
      return await this.#thread.run(job, this.#limits);
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error;
      if (error.wasStopped) throw new Problem('unavailable', { detail: 'the preview was stopped' });
      this.#log.warn({ err: error }, 'a preview took too long to render');
      return null;
    }
  }
}
