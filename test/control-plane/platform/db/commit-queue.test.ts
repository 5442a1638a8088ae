import test from 'ava';
import fc from 'fast-check';
import { type CommitQueueOptions, createCommitQueue } from '#control-plane/platform/db/commit-queue.ts';
import { commitByBisection, commitWithRetry } from '#control-plane/platform/resilience/commit-retry.ts';

type Item = { group: number; index: number };
type Commit = { items: readonly Item[]; signal: AbortSignal; end(): void; fail(error: Error): void };

const groupOf = (group: number, size: number): Item[] => Array.from({ length: size }, (_, index) => ({ group, index }));
const nameOf = ({ group, index }: Item): string => `${group}.${index}`;
const namesOf = (group: number, size: number): string[] => groupOf(group, size).map(nameOf);
/** Callbacks of settled promises run before it resolves. */
const settled = () => new Promise<void>(resolve => setImmediate(resolve));

/** A queue whose commits end when the test says so. */
function openCommitQueue(changes: Partial<CommitQueueOptions<Item, string>> = {}) {
  const commits: Commit[] = [];
  const queued: number[] = [];
  const group = createCommitQueue<Item, string>({
    batchMax: 10,
    queuedMax: 100,
    concurrency: 1,
    commit: (items, signal) =>
      new Promise((resolve, reject) => {
        commits.push({ items, signal, end: () => resolve(items.map(nameOf)), fail: reject });
      }),
    refusal: () => new Error('stopping'),
    onQueued: count => queued.push(count),
    ...changes,
  });
  return { ...group, commits, queued };
}

test('what arrives during a commit is committed together, and each caller gets its own outcomes', async t => {
  const { add, commits } = openCommitQueue();
  const groups = [1, 3, 2, 0].map((size, index) => add(groupOf(index, size)));
  t.deepEqual(
    commits.map(commit => commit.items.map(nameOf)),
    [namesOf(0, 1)],
  );
  commits[0]?.end();
  t.deepEqual(await groups[0], namesOf(0, 1));
  await settled();
  t.deepEqual(commits[1]?.items.map(nameOf), [...namesOf(1, 3), ...namesOf(2, 2)]);
  commits[1]?.end();
  t.deepEqual(await Promise.all(groups), [namesOf(0, 1), namesOf(1, 3), namesOf(2, 2), []]);
});

test('in any order of arrival batches keep that order and their bound, never more at once than allowed', async t => {
  const sizes = fc.array(fc.integer({ min: 0, max: 14 }), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 3 }), fc.infiniteStream(fc.nat()), async (all, most, random) => {
      const { add, commits } = openCommitQueue({ concurrency: most });
      const groups = all.map((size, index) => add(groupOf(index, size)));
      const ended = new Set<Commit>();
      for (let running = [...commits]; running.length > 0; running = commits.filter(commit => !ended.has(commit))) {
        t.true(running.length <= most);
        const next = running[(random.next().value ?? 0) % running.length] as Commit;
        ended.add(next);
        next.end();
        await settled();
      }
      t.deepEqual(
        await Promise.all(groups),
        all.map((size, index) => namesOf(index, size)),
      );
      t.deepEqual(
        commits.flatMap(commit => commit.items.map(nameOf)),
        all.flatMap((size, index) => namesOf(index, size)),
      );
      for (const { items } of commits)
        t.true(items.length <= 10 || new Set(items.map(item => item.group)).size === 1, `${items.length} items`);
    }),
    { numRuns: 100 },
  );
});

test('a failed commit rejects its own callers only', async t => {
  const { add, commits } = openCommitQueue();
  const [first, second, third] = [add(groupOf(0, 1)), add(groupOf(1, 10)), add(groupOf(2, 1))];
  commits[0]?.fail(new Error('disk full'));
  await t.throwsAsync(first, { message: 'disk full' });
  commits[1]?.end();
  t.deepEqual(await second, namesOf(1, 10));
  await settled();
  commits[2]?.end();
  t.deepEqual(await third, namesOf(2, 1));
});

test('a caller with more items than a batch holds is committed by itself', async t => {
  const { add, commits } = openCommitQueue();
  const groups = [add(groupOf(0, 1)), add(groupOf(1, 25)), add(groupOf(2, 1))];
  for (let index = 0; index < 3; index++) {
    t.is(commits[index]?.items.length, [1, 25, 1][index]);
    commits[index]?.end();
    await settled();
  }
  t.is((await Promise.all(groups)).flat().length, 27);
});

test('the queue is full at its bound of items, and drained when less than half is left', async t => {
  const { add, full, drained, commits, queued } = openCommitQueue({ queuedMax: 20 });
  const groups = [10, 9].map((size, index) => add(groupOf(index, size)));
  t.false(full());
  t.true(full(2));
  await drained();
  groups.push(add(groupOf(2, 1)));
  t.true(full());
  let isDrained = false;
  const waiting = drained().then(() => {
    isDrained = true;
  });
  commits[0]?.end();
  await settled();
  t.false(full(), 'there is capacity again, but half of the queue is left');
  t.false(isDrained);
  commits[1]?.end();
  await waiting;
  await Promise.all(groups);
  t.deepEqual(queued, [10, 19, 20, 10, 0]);
});

test('the queue is full when its items cost more than its bound', async t => {
  const { add, full, commits } = openCommitQueue({ cost: { of: ({ index }) => index * 100, max: 1000 } });
  const first = add(groupOf(0, 5));
  t.false(full(), '0 + 100 + … + 400');
  const second = add(groupOf(1, 2));
  t.true(full());
  commits[0]?.end();
  await first;
  await settled();
  t.false(full());
  commits[1]?.end();
  await second;
});

test('items that weigh more fill queue and key by their weight, and are counted as what they are', async t => {
  const { add, full, commits, queued } = openCommitQueue({ queuedMax: 20, queuedPerKeyMax: 8, weightOf: () => 4 });
  const first = add(groupOf(0, 2), 'a');
  t.true(full(1, 'a'));
  t.false(full(1, 'b'));
  const second = add(groupOf(1, 3), 'b');
  t.true(full(1, 'c'));
  commits[0]?.end();
  await first;
  await settled();
  t.false(full(1, 'a'));
  commits[1]?.end();
  await second;
  await settled();
  t.deepEqual(queued, [2, 5, 3, 0]);
});

test('stopping waits for what is queued and ends as soon as it is committed', async t => {
  const { add, stop, commits } = openCommitQueue();
  const groups = [add(groupOf(0, 10)), add(groupOf(1, 1))];
  let stopped = false;
  const stopping = stop(60_000).then(() => {
    stopped = true;
  });
  await t.throwsAsync(add(groupOf(2, 1)), { message: 'stopping' });
  commits[0]?.end();
  await settled();
  t.false(stopped);
  commits[1]?.end();
  await stopping;
  t.is((await Promise.all(groups)).flat().length, 11);
  await stop(60_000);
});

test('when the time to stop is over, running commits are aborted, the rest rejected and nobody waits', async t => {
  const { add, stop, drained, commits, queued } = openCommitQueue({ queuedMax: 11 });
  const [running, left] = [add(groupOf(0, 10)), add(groupOf(1, 1))];
  const waiting = drained();
  t.false(commits[0]?.signal.aborted);
  await Promise.all([stop(0), t.throwsAsync(left, { message: 'stopping' })]);
  await waiting;
  t.true(commits[0]?.signal.aborted);
  commits[0]?.end();
  t.deepEqual(await running, namesOf(0, 10), 'a commit that succeeds in spite of it counts');
  await settled();
  t.is(commits.length, 1);
  t.is(queued.at(-1), 0);
});

test('bisection refuses exactly the bad items, and its outcomes are in order', async t => {
  const batch = fc.array(fc.boolean(), { maxLength: 64 });
  await fc.assert(
    fc.asyncProperty(batch, async bad => {
      const committed: number[] = [];
      let attempts = 0;
      const outcomes = await commitByBisection<number, string>(
        [...bad.keys()],
        async items => {
          attempts += 1;
          if (items.some(index => bad[index])) return null;
          committed.push(...items);
          return items.map(index => `stored ${index}`);
        },
        'rejected',
      );
      t.deepEqual(
        outcomes,
        bad.map((isBad, index) => (isBad ? 'rejected' : `stored ${index}`)),
      );
      t.deepEqual(
        committed,
        [...bad.keys()].filter(index => !bad[index]),
        'each good item once, in order',
      );
      const badCount = bad.filter(Boolean).length;
      t.true(attempts <= 1 + 2 * badCount * Math.ceil(Math.log2(Math.max(2, bad.length))), `${attempts} attempts`);
    }),
  );
});

test('bisection ends with an error that is not the data’s fault', async t => {
  const away = new Error('away');
  await t.throwsAsync(
    commitByBisection([1, 2], async items => (items.length === 2 ? null : Promise.reject(away)), 'rejected'),
    { is: away },
  );
});

const fault = (code: string) => Object.assign(new Error(`fault ${code}`), { code });
const retryCases: [title: string, errors: Error[], expected: string | null, reported: string[]][] = [
  ['success at once', [], 'stored', []],
  ['an unreachable server is waited for', [fault('ECONNREFUSED'), fault('57P03')], 'stored', ['away']],
  ['rejected data is not retried', [fault('22P05')], null, ['data']],
  ['data is blamed after other faults too', [fault('ECONNRESET'), fault('23502')], null, ['away', 'data']],
  ['one unknown error is retried', [fault('XX000')], 'stored', ['other']],
  ['unknown errors that do not end are blamed on the data', [fault('XX000'), fault('42P01')], null, ['other', 'other']],
  ['a deadlock that outlived the transaction’s own retries is retried', [fault('40P01')], 'stored', ['retry']],
];

for (const [title, errors, expected, reported] of retryCases)
  test(`retrying: ${title}`, async t => {
    const faults: string[] = [];
    const result = await commitWithRetry(
      async () => {
        const error = errors.shift();
        if (error !== undefined) throw error;
        return 'stored';
      },
      {
        unknownErrorRetries: 1,
        signal: new AbortController().signal,
        onFailure: (_, kind) => faults.push(kind),
      },
    );
    t.is(result, expected);
    t.deepEqual(faults, reported);
  });

test('retrying ends with the signal: while it waits, and with the error of a commit that is running', async t => {
  const abort = new AbortController();
  const options = { unknownErrorRetries: 1, signal: abort.signal, onFailure: () => setImmediate(() => abort.abort()) };
  await t.throwsAsync(
    commitWithRetry(() => Promise.reject(fault('ECONNREFUSED')), options),
    { name: 'AbortError' },
  );
  await t.throwsAsync(
    commitWithRetry(() => Promise.reject(fault('22P05')), options),
    { code: '22P05' },
  );
});

test('a key with much to commit delays another by one group, and is full by itself', async t => {
  const { add, full, drained, commits } = openCommitQueue({ batchMax: 2, queuedPerKeyMax: 6 });
  const flood = Array.from({ length: 4 }, (_, index) => add(groupOf(index, 2), 'flood'));
  t.true(full(1, 'flood'));
  t.false(full(1, 'quiet'));
  let isDrained = false;
  const waiting = drained('flood').then(() => {
    isDrained = true;
  });
  const quiet = add(groupOf(9, 1), 'quiet');
  commits[0]?.end();
  await flood[0];
  await settled();
  commits[1]?.end();
  await settled();
  commits[2]?.end();
  t.deepEqual(await quiet, namesOf(9, 1));
  await settled();
  t.false(isDrained, 'four of six are more than half');
  commits[3]?.end();
  await waiting;
  await settled();
  commits[4]?.end();
  await Promise.all(flood);
});

test('an outcome that settles later delays its own group only', async t => {
  const later = Promise.withResolvers<string>();
  const { add, drained } = openCommitQueue({
    commit: async items => items.map(item => (item.group === 1 ? later.promise : nameOf(item))),
  });
  const slow = add(groupOf(1, 1));
  t.deepEqual(await add(groupOf(2, 2)), namesOf(2, 2));
  await drained();
  later.resolve('late');
  t.deepEqual(await slow, ['late']);
});

test('a statement that takes too long is retried for ever, or as often as asked before the data is blamed', async t => {
  let attempts = 0;
  const options = { unknownErrorRetries: 0, signal: new AbortController().signal, onFailure: () => undefined };
  const timeout = () => {
    attempts += 1;
    return Promise.reject(fault('57014'));
  };
  t.is(await commitWithRetry(timeout, { ...options, timeoutRetries: 1 }), null);
  t.is(attempts, 2);
  let failures = 0;
  const recovering = () => (failures++ < 3 ? Promise.reject(fault('55P03')) : Promise.resolve('stored'));
  t.is(await commitWithRetry(recovering, options), 'stored');
});
