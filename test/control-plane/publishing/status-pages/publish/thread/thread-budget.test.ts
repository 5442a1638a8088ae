import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import test from 'ava';
import { ThreadBudget } from '#control-plane/publishing/status-pages/publish/thread/thread-budget.ts';
import { until } from '#test/support/control-plane.ts';

const limits = { busyMaxMs: 1000, silentMaxMs: 600_000 };

/** A thread whose times are what the test says, in milliseconds. */
function fakeThread() {
  const thread = { activeMs: 0, cpuMs: 0, asked: 0, ended: false, answer: Promise.resolve() };
  const worker = {
    performance: { eventLoopUtilization: () => ({ active: thread.activeMs }) },
    cpuUsage: async () => {
      thread.asked += 1;
      await thread.answer;
      return { user: thread.cpuMs * 1000, system: 0 };
    },
    terminate: async () => {
      thread.ended = true;
    },
  };
  return { thread, worker: worker as unknown as Worker };
}

async function begin(worker: Worker): Promise<ThreadBudget> {
  const budget = new ThreadBudget(worker, limits);
  budget.begin();
  await setImmediate();
  return budget;
}

const looks = (thread: { asked: number }, count: number) => until(async () => thread.asked >= count, true);

test('a thread that computes for longer than it may is ended', async t => {
  const { thread, worker } = fakeThread();
  thread.cpuMs = 5000;
  using _budget = await begin(worker);
  [thread.activeMs, thread.cpuMs] = [1001, 6001];
  await until(async () => thread.ended, true);
  t.pass();
});

test('a thread that has little of the processor may take longer, up to four times its budget', async t => {
  const { thread, worker } = fakeThread();
  using _budget = await begin(worker);
  [thread.activeMs, thread.cpuMs] = [3999, 999];
  await looks(thread, 4);
  t.false(thread.ended);
  thread.activeMs = 4001;
  await until(async () => thread.ended, true);
});

test('an answer about a thread that comes after its work is done ends nothing', async t => {
  const { thread, worker } = fakeThread();
  const budget = await begin(worker);
  const { promise, resolve } = Promise.withResolvers<void>();
  thread.answer = promise;
  [thread.activeMs, thread.cpuMs] = [1001, 6001];
  await looks(thread, 2);
  budget[Symbol.dispose]();
  resolve();
  await setImmediate();
  t.false(thread.ended);
});
