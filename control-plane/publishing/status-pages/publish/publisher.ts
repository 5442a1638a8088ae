import type pg from 'pg';
import { minuteMs, secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { sqlOf } from '../../../platform/db/sql.ts';
import { noteFailureOf } from '../../../platform/failures/by-item.ts';
import { details } from './model.ts';
import { isAnyDue, reduceDetail } from './publication-store.ts';
import type { PublishOutcome } from './publish.ts';
import { RenderThread, ThreadEnded } from './thread/render-thread.ts';

export type PublishJob = { nowMs: number };

type PublisherOptions = {
  pool: pg.Pool;
  connectionString: string;
  baseUrl: string;
  canMail: boolean;
  log: Logger;
  busyMaxMs?: number;
  idleHeapMax?: number;
};

const busyMaxMs = 10 * secondMs;
const silentMaxMs = 3 * minuteMs;
const idleLookMs = 5 * secondMs;
/** Bytes of heap with which a thread may wait for more work: V8 collects nothing while nothing happens. */
const idleHeapMax = 100 * 1024 * 1024;

/**
 * Publishes pages in a thread of its own. A page that keeps the processor busy for ten seconds, or takes too much
 * memory, ends the thread, and is published with less detail; other pages go on at once. A thread that large pages left
 * with much memory ends when nothing is due. Dispose to stop it.
 */
export class Publisher {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #limits: { busyMaxMs: number; silentMaxMs: number };
  readonly #idleHeapMax: number;
  readonly #thread: RenderThread<PublishJob, PublishOutcome>;
  #lookAtMs = 0;

  constructor(options: PublisherOptions) {
    const { pool, connectionString, baseUrl, canMail, log } = options;
    this.#pool = pool;
    this.#log = log;
    this.#limits = { busyMaxMs: options.busyMaxMs ?? busyMaxMs, silentMaxMs };
    this.#idleHeapMax = options.idleHeapMax ?? idleHeapMax;
    const data = { connectionString, baseUrl, canMail, logLevel: log.level };
    this.#thread = new RenderThread(new URL('./publisher-thread.ts', import.meta.url), data);
  }

  /** Publishes one due page; false if none is due. Calls must not overlap. The thread starts with the first page. */
  async publishDue(nowMs: number): Promise<boolean> {
    if (!(await isAnyDue(sqlOf(this.#pool), nowMs))) {
      this.#endLargeThread();
      return false;
    }
    try {
      const outcome = await this.#thread.run({ nowMs }, this.#limits);
      if (outcome?.error != null) {
        const item = { work: 'publishing', id: outcome.pageId, projectId: null, nowMs } as const;
        await noteFailureOf(this.#pool, item, new Error(outcome.error));
      }
      return outcome !== null;
    } catch (error) {
      if (!(error instanceof ThreadEnded) || error.wasStopped || error.begun === null) throw error;
      this.#log.error(
        { err: error, page: error.begun },
        'a status page took too long to render: publishing less of it',
      );
      await reduceDetail(sqlOf(this.#pool), error.begun, details.length - 1, nowMs);
      return true;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]();
  }

  /** Nobody waits for it. */
  #endLargeThread(): void {
    if (performance.now() < this.#lookAtMs) return;
    this.#lookAtMs = performance.now() + idleLookMs;
    void this.#thread.stopIfLarger(this.#idleHeapMax);
  }
}
