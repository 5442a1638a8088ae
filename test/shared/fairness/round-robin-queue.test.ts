import test from 'ava';
import fc from 'fast-check';
import { RoundRobinQueue } from '#shared/fairness/round-robin-queue.ts';

function queueOf(items: readonly (readonly [key: string, item: string, urgent?: boolean])[]): RoundRobinQueue<string> {
  const queue = new RoundRobinQueue<string>();
  for (const [key, item, urgent] of items) queue.add(key, item, urgent);
  return queue;
}

function takeAll(queue: RoundRobinQueue<string>, mayTake?: (key: string) => boolean): string[] {
  const taken: string[] = [];
  for (let item = queue.take(mayTake); item !== undefined; item = queue.take(mayTake)) taken.push(item);
  return taken;
}

test('keys take turns, each in the order of its items', t => {
  const queue = queueOf([
    ...['a1', 'a2', 'a3', 'a4'].map(item => ['a', item] as const),
    ['b', 'b1'],
    ['c', 'c1'],
    ['b', 'b2'],
  ]);
  t.deepEqual(takeAll(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('urgent items overtake the others of their key only', t => {
  const queue = queueOf([
    ['a', 'a1'],
    ['a', 'a2'],
    ['b', 'b1'],
    ['a', 'now', true],
  ]);
  t.deepEqual(takeAll(queue), ['now', 'b1', 'a1', 'a2']);
});

test('a key that may not be served is passed over and keeps its items', t => {
  const queue = queueOf([
    ['a', 'a1'],
    ['b', 'b1'],
  ]);
  t.deepEqual(
    takeAll(queue, key => key !== 'a'),
    ['b1'],
  );
  t.deepEqual(takeAll(queue), ['a1']);
});

test('a removed item is not taken', t => {
  const queue = queueOf([
    ['a', 'a1'],
    ['a', 'a2'],
  ]);
  queue.remove('a', 'a1');
  queue.remove('none', 'a2');
  t.deepEqual(takeAll(queue), ['a2']);
});

test('a batch is taken from each key in turn, within its bound, and the first item whatever its size', t => {
  const queue = queueOf([...['a1', 'a2', 'a333'].map(item => ['a', item] as const), ['b', 'b1']]);
  const batch = (max: number) => queue.takeBatch(max, item => item.length);
  t.deepEqual(batch(5), ['a1', 'b1']);
  t.deepEqual(batch(5), ['a2']);
  t.deepEqual(batch(1), ['a333']);
  t.deepEqual(batch(5), []);
});

type Item = { key: string; number: number; size: number; isUrgent: boolean };
const keys = ['a', 'b', 'c'];
const items = fc
  .array(
    fc.record({
      key: fc.constantFrom(...keys),
      size: fc.integer({ min: 0, max: 9 }),
      isUrgent: fc.boolean(),
    }),
    { maxLength: 50 },
  )
  .map(all => all.map((item, number): Item => ({ ...item, number })));

test('every item comes once, the urgent ones of its key first, in their order, in batches within their bound', t => {
  fc.assert(
    fc.property(items, all => {
      const queue = new RoundRobinQueue<Item>();
      for (const item of all) queue.add(item.key, item, item.isUrgent);
      const taken: Item[] = [];
      while (!queue.isEmpty) {
        const batch = queue.takeBatch(8, ({ size }) => size);
        const size = batch.reduce((sum, item) => sum + item.size, 0);
        t.true(batch.length > 0 && (size <= 8 || batch.length === 1));
        taken.push(...batch);
      }
      const inOrder = (key: string) => {
        const own = all.filter(item => item.key === key);
        return [...own.filter(({ isUrgent }) => isUrgent), ...own.filter(({ isUrgent }) => !isUrgent)];
      };
      for (const key of keys)
        t.deepEqual(
          taken.filter(item => item.key === key),
          inOrder(key),
        );
    }),
  );
});

test('however much one key adds, each other one that waits has its turn between two items of it', t => {
  fc.assert(
    fc.property(items, all => {
      const queue = new RoundRobinQueue<Item>();
      for (const item of all) queue.add(item.key, item);
      const order = queue.takeBatch(Number.POSITIVE_INFINITY, () => 1).map(({ key }) => key);
      for (const [index, key] of order.entries()) {
        const next = order.indexOf(key, index + 1);
        if (next === -1) continue;
        for (const other of new Set(order.slice(next + 1))) t.true(order.slice(index, next).includes(other));
      }
    }),
  );
});

test('clearing returns everything that is left', t => {
  const queue = queueOf([
    ['a', 'a1'],
    ['b', 'b1'],
    ['a', 'now', true],
  ]);
  t.deepEqual(queue.clear(), ['now', 'a1', 'b1']);
  t.true(queue.isEmpty);
});
