import test from 'ava';
import fc from 'fast-check';
import { createSplitCommit, partOf } from '#control-plane/platform/resilience/split-commit.ts';
import { newId } from '#shared/ids.ts';

type Item = { key: string; name: string };
type Commit = { items: readonly Item[]; end(): void; fail(error: Error): void };

/** Callbacks of settled promises run before it resolves. */
const settled = () => new Promise<void>(resolve => setImmediate(resolve));
const item = (key: string, name = key): Item => ({ key, name });
/** Keys of the first and of the second of two parts. */
const [even, odd] = ['b', 'a'];

/** A split commit whose commits end when the test says so. */
function openSplitCommit(parts = 2, bounds: { queuedMax?: number; laneMax?: number } = {}) {
  const commits: Commit[] = [];
  const queued: number[] = [];
  const split = createSplitCommit<Item, string>({
    batchMax: 10,
    queuedMax: 100,
    ...bounds,
    parts,
    keyOf: ({ key }) => key,
    commit: items =>
      new Promise((resolve, reject) => {
        commits.push({ items, end: () => resolve(items.map(({ name }) => `stored ${name}`)), fail: reject });
      }),
    refusal: () => new Error('stopping'),
    onQueued: count => queued.push(count),
  });
  return { ...split, commits, queued };
}

test('no key is in two commits at once, all keep their order, and each caller gets its own outcomes', async t => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 8 });
  const calls = fc.array(keys, { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(calls, fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), async (all, parts, random) => {
      const { add, commits } = openSplitCommit(parts);
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
  const { add, commits } = openSplitCommit();
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
  const { add, commits } = openSplitCommit();
  const [both, other] = [add([item(even), item(odd)]), add([item(odd)])];
  commits[0]?.fail(new Error('disk full'));
  await t.throwsAsync(both, { message: 'disk full' });
  commits[1]?.end();
  await settled();
  commits[2]?.end();
  t.deepEqual(await other, [`stored ${odd}`]);
});

test('it is full as soon as one part is, and drained when all have room', async t => {
  const { add, full, drained, commits, queued, waitingMs } = openSplitCommit(2, { laneMax: 4 });
  t.is(waitingMs(), 0);
  const calls = [add([item(even), item(even), item(odd)], 'lane')];
  t.true(full(1, 'lane'), 'two of four are in the first part');
  t.false(full(1, 'another'));
  let isDrained = false;
  const waiting = drained('lane').then(() => {
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

test('stopping commits what is queued in every part, and refuses what comes later', async t => {
  const { add, stop, commits } = openSplitCommit();
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
      const part = partOf(newId('mon'), parts);
      counts[part] = (counts[part] ?? 0) + 1;
    }
    for (const count of counts) t.true(Math.abs(count - 3000 / parts) < 200, `${counts} of ${parts}`);
  }
});
