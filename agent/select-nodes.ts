import { Worker } from 'node:worker_threads';
import { isSingular, type Json, type SelectNodes, selectValues } from '#shared/assertions/json-path.ts';

type Query = {
  path: string;
  document: Json;
  resolve: (nodes: Json[]) => void;
  reject: (error: Error) => void;
};

const deadlineMs = 100;
const waitingMax = 200;

/**
 * Selects by JSONPath without ever holding up the event loop: singular queries here, all others in one worker,
 * one at a time, 100 ms each. A worker that overruns is terminated and another takes its place.
 */
export class NodeSelector {
  readonly #waiting: Query[] = [];
  #running: Query | null = null;
  #worker: Worker | null = null;
  #ready = false;
  #timer: NodeJS.Timeout | undefined;

  readonly select: SelectNodes = (path, document) => {
    if (isSingular(path)) return Promise.resolve(selectValues(path, document));
    if (this.#waiting.length >= waitingMax) return Promise.reject(new Error('too many queries wait'));
    const { promise, resolve, reject } = Promise.withResolvers<Json[]>();
    this.#waiting.push({ path, document, resolve, reject });
    this.#next();
    return promise;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#drop(new Error('stopped'));
    for (const query of this.#waiting.splice(0)) query.reject(new Error('stopped'));
    await worker?.terminate();
  }

  #next(): void {
    if (this.#running !== null || this.#waiting.length === 0) return;
    if (this.#worker === null) return this.#spawn();
    if (!this.#ready) return;
    const query = this.#waiting.shift();
    if (query === undefined) return;
    this.#running = query;
    this.#timer = setTimeout(() => this.#overrun(), deadlineMs);
    try {
      this.#worker.postMessage({ path: query.path, document: query.document });
    } catch (error) {
      this.#settle(() => query.reject(new Error('the document cannot be searched', { cause: error })));
    }
  }

  #spawn(): void {
    const worker = new Worker(new URL('./json-path-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
      env: {},
    });
    worker.unref();
    this.#worker = worker;
    worker.on('message', (answer: 'ready' | { nodes: Json[] } | { failed: true }) => {
      if (this.#worker === worker) this.#hear(answer);
    });
    const lost = (cause: unknown) => {
      if (this.#worker !== worker) return;
      // One that never got ready would die again and again.
      if (!this.#ready) for (const query of this.#waiting.splice(0)) query.reject(new Error('no worker', { cause }));
      this.#drop(new Error('the query broke off', { cause }));
      this.#next();
    };
    worker.on('error', lost);
    worker.on('exit', lost);
  }

  #hear(answer: 'ready' | { nodes: Json[] } | { failed: true }): void {
    if (answer === 'ready') {
      this.#ready = true;
      return this.#next();
    }
    const query = this.#running;
    this.#settle(() => {
      if ('nodes' in answer) query?.resolve(answer.nodes);
      else query?.reject(new Error('the query failed'));
    });
  }

  #settle(answer: () => void): void {
    clearTimeout(this.#timer);
    this.#running = null;
    answer();
    this.#next();
  }

  #overrun(): void {
    const worker = this.#worker;
    this.#drop(new Error('the query took too long'));
    worker?.terminate().catch(() => undefined);
    this.#next();
  }

  #drop(reason: Error): void {
    clearTimeout(this.#timer);
    this.#worker = null;
    this.#ready = false;
    this.#running?.reject(reason);
    this.#running = null;
  }
}
