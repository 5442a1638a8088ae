import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import { Problem } from '#control-plane/platform/http/problem.ts';
import { FairShare } from '#control-plane/platform/shares/fair-share.ts';

const limits = { atOnce: 2, waiting: 3, waitMs: 60_000 };
const open = new AbortController().signal;

test('a project runs as many as its share, the next wait in order, and another project does not wait', async t => {
  const share = new FairShare(limits);
  const first = await share.take('a', open);
  await share.take('a', open);
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async number => {
    const release = await share.take('a', open);
    order.push(number);
    release();
  });
  await share.run('b', open, () => Promise.resolve());
  t.deepEqual(order, []);
  first();
  await Promise.all(waiting);
  t.deepEqual(order, [1, 2, 3]);
});

test('beyond the queue, and after the longest wait, the answer is 503 with Retry-After', async t => {
  const share = new FairShare({ ...limits, atOnce: 1, waiting: 1, waitMs: 20 });
  await share.take('a', open);
  const waiting = t.throwsAsync(share.take('a', open), { instanceOf: Problem });
  const refused = await t.throwsAsync(share.take('a', open), { instanceOf: Problem });
  t.deepEqual([refused?.code, refused?.details.retryAfter], ['unavailable', 1]);
  t.is((await waiting)?.code, 'unavailable');
});

test('who is gone leaves the queue, and its place goes to the next', async t => {
  const share = new FairShare({ ...limits, atOnce: 1 });
  const release = await share.take('a', open);
  const gone = new AbortController();
  const left = t.throwsAsync(share.take('a', gone.signal), { instanceOf: Problem });
  const next = share.take('a', open);
  gone.abort();
  await left;
  release();
  release();
  (await next)();
  t.is(share.size, 0);
  await t.throwsAsync(share.take('a', gone.signal));
  t.is(share.size, 0, 'a request that is gone before it comes leaves nothing');
});

test('a share is given back by work that fails', async t => {
  const share = new FairShare({ ...limits, atOnce: 1, waiting: 0 });
  for (let turn = 0; turn < 3; turn++)
    await t.throwsAsync(
      share.run('a', open, () => Promise.reject(new Error('failed'))),
      { message: 'failed' },
    );
  t.is(share.size, 0);
});

test('whatever comes and goes: never more than the share at once, nothing lost, nothing left', async t => {
  const request = fc.record({
    project: fc.constantFrom('a', 'b'),
    turns: fc.nat(5),
    leavesAfter: fc.option(fc.nat(5)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 30 }), async requests => {
      const share = new FairShare({ ...limits, waiting: 30 });
      const running = new Map<string, number>();
      const outcomes = await Promise.all(
        requests.map(async ({ project, turns, leavesAfter }) => {
          const gone = new AbortController();
          void leave(gone, leavesAfter);
          const work = async (): Promise<boolean> => {
            running.set(project, (running.get(project) ?? 0) + 1);
            if ((running.get(project) ?? 0) > limits.atOnce) throw new Error('more than the share');
            for (let turn = 0; turn < turns; turn++) await nextTurn();
            running.set(project, (running.get(project) ?? 0) - 1);
            return true;
          };
          return share.run(project, gone.signal, work).catch(error => {
            if (error instanceof Problem && leavesAfter !== null) return false;
            throw error;
          });
        }),
      );
      return outcomes.length === requests.length && share.size === 0;
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
