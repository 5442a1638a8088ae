import { Worker } from 'node:worker_threads';
import type { DecideApart, Decision, JsonPathAssertion } from '#shared/assertions/decision.ts';
import { type Json, QueryNotRun, type SelectNodes, selectSingular } from '#shared/assertions/json-path.ts';
import { FairPool } from '#shared/fairness/fair-pool.ts';
import { RoundRobinQueue } from '#shared/fairness/round-robin-queue.ts';

/** What the worker is asked: the nodes that a query selects, or decisions about singular queries. */
export type Question = { path: string; text: string } | { assertions: readonly JsonPathAssertion[]; text: string };
/** `decisions` is null if the text is not JSON. */
export type Answer = { nodes: Json[] } | { decisions: Decision[] | null };
type Reply = 'ready' | Answer | { failed: true };

type Query = {
  lane: string;
  question: Question;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
  waitLimit?: NodeJS.Timeout;
};

/** CPU time of one query. */
const cpuMaxMs = 100;
/** CPU time of all singular queries of a check: parsing a MiB takes up to 180 ms of it (measured). */
const apartCpuMaxMs = 500;
const lookMinMs = 5;
/** A query that was not given its CPU time by then is cut off, through no fault of its own. */
const runMaxMs = 2000;
const queuedMax = 200;
const waitMaxMs = 5000;

/**
 * Evaluates JSONPath without blocking the event loop: singular queries about small documents here, all others in one
 * worker thread, one at a time, the lanes in turns, 100 ms of CPU each. A worker that exceeds that is terminated and
 * replaced. Dispose to stop the worker.
 */
export class NodeSelector {
  readonly #waiting = new RoundRobinQueue<Query>();
  readonly #queued: FairPool;
  readonly #waitMaxMs: number;
  #running: Query | null = null;
  #worker: Worker | null = null;
  #ready = false;
  #timer: NodeJS.Timeout | undefined;

  /** `lanes`: how many lanes there are at present. */
  constructor(lanes: () => number, waitMs = waitMaxMs) {
    this.#queued = new FairPool(queuedMax, lanes);
    this.#waitMaxMs = waitMs;
  }

  /**
   * Queries for the monitors of one lane. Rejects if a query takes too long or selects too much; with QueryNotRun if
   * its lane's share of the queue is full or its turn does not come in time.
   */
  selectFor(lane: string): SelectNodes {
    return (path, document) => {
      const values = selectSingular(path, document);
      if (values !== null) return Promise.resolve(values);
      return this.#ask(lane, { path, text: document.text }).then(answer => ('nodes' in answer ? answer.nodes : []));
    };
  }

  /** Singular queries about a large text, for the monitors of one lane; they are queued as one query. */
  decideFor(lane: string): DecideApart {
    return async (assertions, text) => {
      const answer = await this.#ask(lane, { assertions, text });
      return 'decisions' in answer ? answer.decisions : null;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#reset(new QueryNotRun('stopped'));
    this.#rejectWaiting(new QueryNotRun('stopped'));
    await worker?.terminate();
  }

  #ask(lane: string, question: Question): Promise<Answer> {
    if (!this.#queued.fits(lane, 1)) return Promise.reject(new QueryNotRun('too many queries are queued'));
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#enqueue({ lane, question, resolve, reject });
    return promise;
  }

  #enqueue(query: Query): void {
    query.waitLimit = setTimeout(() => {
      this.#waiting.remove(query.lane, query);
      this.#queued.remove(query.lane, 1);
      query.reject(new QueryNotRun('the query waited too long'));
    }, this.#waitMaxMs);
    this.#queued.add(query.lane, 1);
    this.#waiting.add(query.lane, query);
    this.#next();
  }

  #take(): Query | undefined {
    const query = this.#waiting.take();
    if (query === undefined) return undefined;
    clearTimeout(query.waitLimit);
    this.#queued.remove(query.lane, 1);
    return query;
  }

  #rejectWaiting(error: Error): void {
    for (let query = this.#take(); query !== undefined; query = this.#take()) query.reject(error);
  }

  #next(): void {
    if (this.#running !== null || this.#queued.used === 0) return;
    if (this.#worker === null) return this.#spawn();
    if (!this.#ready) return;
    const query = this.#take();
    if (query === undefined) return;
    this.#running = query;
    this.#watch(this.#worker, query);
    this.#worker.postMessage(query.question);
  }

  /** Ends the worker once the query has used its CPU time: on a busy host that takes longer than the time itself. */
  #watch(worker: Worker, query: Query): void {
    const startedMs = performance.now();
    const maxMs = 'path' in query.question ? cpuMaxMs : apartCpuMaxMs;
    const usedBefore = worker.cpuUsage();
    const look = async () => {
      const used = await worker.cpuUsage(await usedBefore).catch(() => ({ user: 0, system: 0 }));
      if (this.#running !== query) return;
      const leftMs = maxMs - (used.user + used.system) / 1000;
      if (leftMs <= 0) this.#abandon(new Error('the query took too long'));
      else if (performance.now() - startedMs > runMaxMs)
        this.#abandon(new QueryNotRun('the query was not run in time'));
      else this.#timer = setTimeout(look, Math.max(lookMinMs, leftMs));
    };
    usedBefore.catch(() => undefined);
    this.#timer = setTimeout(look, maxMs);
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
    if ('failed' in reply) query?.reject(new Error('the query failed'));
    else query?.resolve(reply);
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
