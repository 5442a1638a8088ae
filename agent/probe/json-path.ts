import { Worker } from 'node:worker_threads';
import { isSingular, type Json, QueryNotRun, type SelectNodes, selectValues } from '#shared/assertions/json-path.ts';
import { LaneQueue } from '../lanes/lane-queue.ts';
import { Shares } from '../lanes/shares.ts';

type Query = {
  lane: string;
  path: string;
  text: string;
  resolve: (nodes: Json[]) => void;
  reject: (error: Error) => void;
  waitLimit?: NodeJS.Timeout;
};

type Reply = 'ready' | { nodes: Json[] } | { failed: true };

/** CPU time of one query. */
const cpuMaxMs = 100;
const lookMinMs = 5;
/** A query that was not given its CPU time by then is cut off, through no fault of its own. */
const runMaxMs = 2000;
const queuedMax = 200;
const waitMaxMs = 5000;

/**
 * Evaluates JSONPath without blocking the event loop: singular queries here, all others in one worker thread, one at a
 * time, the lanes in turns, 100 ms of CPU each. A worker that exceeds that is terminated and replaced. Dispose to stop
 * the worker.
 */
export class NodeSelector {
  readonly #waiting = new LaneQueue<Query>();
  readonly #places: Shares;
  readonly #waitMaxMs: number;
  #running: Query | null = null;
  #worker: Worker | null = null;
  #ready = false;
  #timer: NodeJS.Timeout | undefined;

  /** `lanes`: how many lanes there are at present. */
  constructor(lanes: () => number, waitMs = waitMaxMs) {
    this.#places = new Shares(queuedMax, lanes);
    this.#waitMaxMs = waitMs;
  }

  /**
   * Queries for the monitors of one lane. Rejects if a query takes too long or selects too much; with QueryNotRun if
   * its lane's part of the queue is full or its turn does not come in time.
   */
  selectFor(lane: string): SelectNodes {
    return (path, document) => {
      if (isSingular(path)) return Promise.resolve(selectValues(path, document.value));
      if (!this.#places.fits(lane, 1)) return Promise.reject(new QueryNotRun('too many queries are queued'));
      const { promise, resolve, reject } = Promise.withResolvers<Json[]>();
      this.#enqueue({ lane, path, text: document.text, resolve, reject });
      return promise;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#reset(new QueryNotRun('stopped'));
    this.#rejectWaiting(new QueryNotRun('stopped'));
    await worker?.terminate();
  }

  #enqueue(query: Query): void {
    query.waitLimit = setTimeout(() => {
      this.#waiting.remove(query.lane, query);
      this.#places.remove(query.lane, 1);
      query.reject(new QueryNotRun('the query waited too long'));
    }, this.#waitMaxMs);
    this.#places.add(query.lane, 1);
    this.#waiting.add(query.lane, query);
    this.#next();
  }

  #take(): Query | undefined {
    const query = this.#waiting.take();
    if (query === undefined) return undefined;
    clearTimeout(query.waitLimit);
    this.#places.remove(query.lane, 1);
    return query;
  }

  #rejectWaiting(error: Error): void {
    for (let query = this.#take(); query !== undefined; query = this.#take()) query.reject(error);
  }

  #next(): void {
    if (this.#running !== null || this.#places.used === 0) return;
    if (this.#worker === null) return this.#spawn();
    if (!this.#ready) return;
    const query = this.#take();
    if (query === undefined) return;
    this.#running = query;
    this.#watch(this.#worker, query);
    this.#worker.postMessage({ path: query.path, text: query.text });
  }

  /** Ends the worker once the query has used its CPU time: on a busy host that takes longer than the time itself. */
  #watch(worker: Worker, query: Query): void {
    const startedMs = performance.now();
    const usedBefore = worker.cpuUsage();
    const look = async () => {
      const used = await worker.cpuUsage(await usedBefore).catch(() => ({ user: 0, system: 0 }));
      if (this.#running !== query) return;
      const leftMs = cpuMaxMs - (used.user + used.system) / 1000;
      if (leftMs <= 0) this.#abandon(new Error('the query took too long'));
      else if (performance.now() - startedMs > runMaxMs)
        this.#abandon(new QueryNotRun('the query was not run in time'));
      else this.#timer = setTimeout(look, Math.max(lookMinMs, leftMs));
    };
    usedBefore.catch(() => undefined);
    this.#timer = setTimeout(look, cpuMaxMs);
  }

  #spawn(): void {
    const worker = new Worker(new URL('./json-path-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
      env: {},
    });
    worker.unref();
    this.#worker = worker;
    worker.on('message', (reply: Reply) => {
      if (this.#worker === worker) this.#onReply(reply);
    });
    const onExit = (cause: unknown) => {
      if (this.#worker !== worker) return;
      // A worker that never became ready would fail again and again.
      if (!this.#ready) this.#rejectWaiting(new QueryNotRun('the worker cannot start', { cause }));
      this.#reset(new Error('the worker stopped', { cause }));
      this.#next();
    };
    worker.on('error', onExit);
    worker.on('exit', onExit);
  }

  #onReply(reply: Reply): void {
    if (reply === 'ready') {
      this.#ready = true;
      return this.#next();
    }
    const query = this.#running;
    clearTimeout(this.#timer);
    this.#running = null;
    if ('nodes' in reply) query?.resolve(reply.nodes);
    else query?.reject(new Error('the query failed'));
    this.#next();
  }

  #abandon(reason: Error): void {
    const worker = this.#worker;
    this.#reset(reason);
    worker?.terminate().catch(() => undefined);
    this.#next();
  }

  #reset(reason: Error): void {
    clearTimeout(this.#timer);
    this.#worker = null;
    this.#ready = false;
    this.#running?.reject(reason);
    this.#running = null;
  }
}
