import test from 'ava';
import fc from 'fast-check';
import { createGroupCommit, partitionOf } from '#control-plane/platform/db/group-commit.ts';
import { newId } from '#shared/ids.ts';

type Item = { key: string; name: string };
type Commit = { items: readonly Item[]; end(): void; fail(error: Error): void };

/** Callbacks of settled promises run before it resolves. */
const settled = () => new Promise<void>(resolve => setImmediate(resolve));
const item = (key: string, name = key): Item => ({ key, name });
/** Keys of the first and of the second of two partitions. */
const [even, odd] = ['b', 'a'];

/** A group commit whose commits end when the test says so. */
function openGroupCommit(count = 2, bounds: { queuedMax?: number; queuedPerKeyMax?: number } = {}) {
  const commits: Commit[] = [];
  const queued: number[] = [];
  const group = createGroupCommit<Item, string>({
    batchMax: 10,
    queuedMax: 100,
    ...bounds,
    concurrency: 1,
    partitions: { count, ofItem: ({ key }) => partitionOf(key, count) },
    commit: items =>
      new Promise((resolve, reject) => {
        commits.push({ items, end: () => resolve(items.map(({ name }) => `stored ${name}`)), fail: reject });
      }),
    refusal: () => new Error('stopping'),
    onQueued: count => queued.push(count),
  });
  return { ...group, commits, queued };
}

test('no key is in two commits at once, all keep their order, and each caller gets its own outcomes', async t => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 8 });
  const calls = fc.array(keys, { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(calls, fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), async (all, parts, random) => {
      const { add, commits } = openGroupCommit(parts);
      const names = all.map((call, index) => call.map((key, place) => item(key, `${key}${index}.${place}`)));
      const answers = names.map(items => add(items));
      const ended = new Set<Commit>();
      for (let running = [...commits]; running.length > 0; running = commits.filter(commit => !ended.has(commit))) {
        t.true(running.length <= parts);
        const held = running.flatMap(({ items }) => [...new Set(items.map(({ key }) => key))]);
        t.is(new Set(held).size, held.length, 'a key is in two commits at once');
        const next = running[(random.next().value ?? 0) % running.length] as Commit;
        ended.add(next);
        next.end();
        await settled();
      }
      t.deepEqual(
        await Promise.all(answers),
        names.map(items => items.map(({ name }) => `stored ${name}`)),
      );
      const inOrder = (items: readonly Item[]) =>
        Object.fromEntries(
          Map.groupBy(items, ({ key }) => key)
            .entries()
            .toArray(),
        );
      t.deepEqual(inOrder(commits.flatMap(({ items }) => items)), inOrder(names.flat()));
    }),
    { numRuns: 100 },
  );
});

test('a call resolves after the last of its commits', async t => {
  const { add, commits } = openGroupCommit();
  let isDone = false;
  const call = add([item(even), item(odd)]).finally(() => {
    isDone = true;
  });
  t.is(commits.length, 2);
  commits[0]?.end();
  await settled();
  t.false(isDone);
  commits[1]?.end();
  t.deepEqual(await call, [`stored ${even}`, `stored ${odd}`]);
});

test('a failed commit rejects the calls that have items in it, and no others', async t => {
  const { add, commits } = openGroupCommit();
  const [both, other] = [add([item(even), item(odd)]), add([item(odd)])];
  commits[0]?.fail(new Error('disk full'));
  await t.throwsAsync(both, { message: 'disk full' });
  commits[1]?.end();
  await settled();
  commits[2]?.end();
  t.deepEqual(await other, [`stored ${odd}`]);
});

test('it is full as soon as one partition is, and drained when all have room', async t => {
  const { add, full, drained, commits, queued, waitingMs } = openGroupCommit(2, { queuedPerKeyMax: 2 });
  t.is(waitingMs(), 0);
  const calls = [add([item(even), item(even), item(odd)], 'key')];
  t.true(full(1, 'key'), 'both are in the first partition');
  t.false(full(1, 'another'));
  let isDrained = false;
  const waiting = drained('key').then(() => {
    isDrained = true;
  });
  t.true(waitingMs() > 0);
  commits[1]?.end();
  await settled();
  t.false(isDrained);
  commits[0]?.end();
  await waiting;
  await Promise.all(calls);
  t.deepEqual(queued, [2, 3, 2, 0]);
});

test('stopping commits what is queued in every partition, and refuses what comes later', async t => {
  const { add, stop, commits } = openGroupCommit();
  const call = add([item(even), item(odd)]);
  const stopped = stop(60_000);
  for (const commit of commits) commit.end();
  await stopped;
  t.deepEqual(await call, [`stored ${even}`, `stored ${odd}`]);
  await t.throwsAsync(add([item(odd)]), { message: 'stopping' });
});

test('ids are divided about equally', t => {
  for (const parts of [2, 3, 4]) {
    const counts = new Array<number>(parts).fill(0);
    for (let index = 0; index < 3000; index++) {
      const part = partitionOf(newId('mon'), parts);
      counts[part] = (counts[part] ?? 0) + 1;
    }
    for (const count of counts) t.true(Math.abs(count - 3000 / parts) < 200, `${counts} of ${parts}`);
  }
});

test('by key, a caller’s items stay together in the partition of the key, which alone is full or not', async t => {
  const commits: { partition: number; items: readonly Item[] }[] = [];
  const group = createGroupCommit<Item, string>({
    batchMax: 10,
    queuedMax: 2,
    concurrency: 1,
    partitions: { count: 2, ofKey: key => partitionOf(key, 2) },
    commit: async (items, _signal, partition) => {
      commits.push({ partition, items });
      return items.map(({ name }) => `stored ${name}`);
    },
    refusal: () => new Error('stopping'),
  });
  const call = group.add([item(even), item(odd)], odd);
  t.true(group.full(1, odd));
  t.false(group.full(1, even));
  t.deepEqual(await call, [`stored ${even}`, `stored ${odd}`]);
  t.deepEqual(
    commits.map(({ partition, items }) => [partition, items.length]),
    [[partitionOf(odd, 2), 2]],
  );
  await group.drained(odd);
});
