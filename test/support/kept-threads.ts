import type { Worker } from 'node:worker_threads';
import type { TestFn } from 'ava';
import { threads } from '#control-plane/publishing/status-pages/publish/thread/threads.ts';
import { secondMs } from '#shared/duration.ts';

const { start, end } = threads;
const scripts = new WeakMap<Worker, string>();
const resting = new Map<string, Set<Worker>>();
const restWithinMs = 5 * secondMs;

/** Threads that render are handed on to the next replica of this process: to start one takes as long as many tests. */
export function keepThreads(): void {
  threads.start = script => {
    const [kept] = restingOf(script.href);
    if (kept !== undefined) {
      restingOf(script.href).delete(kept);
      return kept;
    }
    const thread = start(script);
    scripts.set(thread, script.href);
    return thread;
  };
  threads.end = async (thread, hasJob) => {
    const others = restingOf(scripts.get(thread) ?? '');
    const stays = !hasJob && others.size === 0 && (await rests(thread));
    if (thread.threadId === -1) return;
    if (!stays) return end(thread, hasJob);
    // Without an event's name, those of Node itself would go, too.
    for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
    others.add(thread);
    const forget = () => others.delete(thread);
    thread.once('error', forget).once('exit', forget);
  };
}

/** In this test file each owner has a thread of its own, as outside of tests. */
export function useOwnThreads<Context>(test: TestFn<Context>): void {
  test.before(() => void Object.assign(threads, { start, end }));
  test.after.always(keepThreads);
}

function restingOf(script: string): Set<Worker> {
  const known = resting.get(script) ?? new Set();
  resting.set(script, known);
  return known;
}

/** False if it ends, or does not answer. */
function rests(thread: Worker): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), restWithinMs);
  thread.once('exit', () => resolve(false)).on('message', reply => reply === 'resting' && resolve(true));
  thread.postMessage('rest');
  return promise.finally(() => clearTimeout(timer));
}
