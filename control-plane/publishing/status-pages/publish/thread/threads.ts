import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { secondMs } from '#shared/duration.ts';

/** Where a thread comes from, and what becomes of it when its owner ends, with a job or without. */
export type Threads = { start(script: URL): Worker; end(thread: Worker, hasJob: boolean): Promise<void> };

const stopWithinMs = 5 * secondMs;
const resourceLimits = { maxOldGenerationSizeMb: 512 };

/** One for each owner. Tests, which start hundreds of replicas in a process, hand theirs on. */
export const threads: Threads = {
  start: script => new Worker(script, { resourceLimits }),
  end: async thread => {
    const exited = once(thread, 'exit').catch(() => {});
    thread.postMessage('stop');
    const timer = setTimeout(() => void thread.terminate(), stopWithinMs);
    await exited;
    clearTimeout(timer);
  },
};
