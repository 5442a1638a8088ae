import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import { Bulkhead } from '#shared/fairness/bulkhead.ts';

const refusal = (reason: string) => new Error(reason);
const limits = { concurrency: 2, queuedMax: 3, waitMaxMs: 60_000, refusal };

test('a key runs as many as it may at once, the next wait in order, and another key does not wait', async t => {
  const bulkhead = new Bulkhead(limits);
  const first = await bulkhead.enter('a');
  await bulkhead.enter('a');
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async number => {
    const leave = await bulkhead.enter('a');
    order.push(number);
    leave();
  });
  await bulkhead.run('b', () => Promise.resolve());
  t.deepEqual(order, []);
  first();
  await Promise.all(waiting);
  t.deepEqual(order, [1, 2, 3]);
});

test('beyond the queue, and after the longest wait, entering is refused', async t => {
  const bulkhead = new Bulkhead({ ...limits, concurrency: 1, queuedMax: 1, waitMaxMs: 20 });
  await bulkhead.enter('a');
  const waiting = t.throwsAsync(bulkhead.enter('a'), { message: 'full' });
  await t.throwsAsync(bulkhead.enter('a'), { message: 'full' });
  await waiting;
});

test('who is gone leaves the queue, and its turn goes to the next', async t => {
  const bulkhead = new Bulkhead({ ...limits, concurrency: 1 });
  const leave = await bulkhead.enter('a');
  const gone = new AbortController();
  const left = t.throwsAsync(bulkhead.enter('a', gone.signal), { message: 'aborted' });
  const next = bulkhead.enter('a');
  gone.abort();
  await left;
  leave();
  leave();
  (await next)();
  t.is(bulkhead.size, 0);
  await t.throwsAsync(bulkhead.enter('a', gone.signal), { message: 'aborted' });
  t.is(bulkhead.size, 0, 'what is gone before it comes leaves nothing');
});

test('work that fails ends its turn', async t => {
  const bulkhead = new Bulkhead({ ...limits, concurrency: 1, queuedMax: 0 });
  for (let turn = 0; turn < 3; turn++)
    await t.throwsAsync(
      bulkhead.run('a', () => Promise.reject(new Error('failed'))),
      { message: 'failed' },
    );
  t.is(bulkhead.size, 0);
});

test('where the concurrency changes, what runs goes on, and what waits begins when there is more', async t => {
  let concurrency = 1;
  const bulkhead = new Bulkhead({ concurrency: () => concurrency });
  const leave = await bulkhead.enter('a');
  const [second, third, fourth] = [bulkhead.enter('a'), bulkhead.enter('a'), bulkhead.enter('a')];
  concurrency = 3;
  bulkhead.update('a');
  const leaving = await Promise.all([second, third]);
  concurrency = 1;
  let hasBegun = false;
  const last = fourth.then(end => {
    hasBegun = true;
    end();
  });
  leave();
  leaving[0]?.();
  await nextTurn();
  t.false(hasBegun);
  leaving[1]?.();
  await last;
  t.is(bulkhead.size, 0);
});

test('whatever comes and goes: never more than may run at once, nothing lost, nothing left', async t => {
  const request = fc.record({
    key: fc.constantFrom('a', 'b'),
    turns: fc.nat(5),
    leavesAfter: fc.option(fc.nat(5)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 30 }), async requests => {
      const bulkhead = new Bulkhead({ ...limits, queuedMax: 30 });
      const running = new Map<string, number>();
      const outcomes = await Promise.all(
        requests.map(async ({ key, turns, leavesAfter }) => {
          const gone = new AbortController();
          void leave(gone, leavesAfter);
          const work = async (): Promise<boolean> => {
            running.set(key, (running.get(key) ?? 0) + 1);
            if ((running.get(key) ?? 0) > limits.concurrency) throw new Error('too many');
            for (let turn = 0; turn < turns; turn++) await nextTurn();
            running.set(key, (running.get(key) ?? 0) - 1);
            return true;
          };
          return bulkhead.run(key, work, gone.signal).catch(error => {
            if (error.message === 'aborted' && leavesAfter !== null) return false;
            throw error;
          });
        }),
      );
      return outcomes.length === requests.length && bulkhead.size === 0;
    }),
    { numRuns: 100 },
  );
  t.pass();
});

async function leave(gone: AbortController, afterTurns: number | null): Promise<void> {
  if (afterTurns === null) return;
  for (let turn = 0; turn < afterTurns; turn++) await nextTurn();
  gone.abort();
}
