import test from 'ava';
import fc from 'fast-check';
import { FairQueue } from '#control-plane/platform/resilience/fair-queue.ts';

type Item = { lane: string; number: number; size: number };

test('lanes are served in turn, however much one of them holds', t => {
  const queue = new FairQueue<Item>();
  for (let number = 0; number < 5; number++) queue.push('a', { lane: 'a', number, size: 1 });
  queue.push('b', { lane: 'b', number: 0, size: 1 });
  queue.push('c', { lane: 'c', number: 0, size: 1 });
  const names = (items: readonly Item[]) => items.map(({ lane, number }) => `${lane}${number}`);
  t.deepEqual(names(queue.take(2)), ['a0', 'b0']);
  t.deepEqual(names(queue.take(2)), ['c0', 'a1']);
  queue.push('b', { lane: 'b', number: 1, size: 1 });
  t.deepEqual(names(queue.take(2)), ['a2', 'b1']);
  t.deepEqual(names(queue.clear()), ['a3', 'a4']);
  t.true(queue.isEmpty);
});

test('every item comes once, in the order of its lane, in batches within their bound', t => {
  const items = fc.array(fc.record({ lane: fc.constantFrom('a', 'b', 'c'), size: fc.integer({ min: 0, max: 9 }) }), {
    maxLength: 50,
  });
  fc.assert(
    fc.property(items, all => {
      const queue = new FairQueue<Item>();
      for (const [number, item] of all.entries()) queue.push(item.lane, { ...item, number });
      const taken: Item[] = [];
      while (!queue.isEmpty) {
        const batch = queue.take(8);
        const size = batch.reduce((sum, item) => sum + item.size, 0);
        if (batch.length === 0 || (size > 8 && batch.length > 1)) return false;
        taken.push(...batch);
      }
      const inLane = (list: readonly { lane: string }[], lane: string) => list.filter(item => item.lane === lane);
      return (
        taken.length === all.length &&
        ['a', 'b', 'c'].every(lane =>
          inLane(taken, lane).every(
            (item, index, list) => index === 0 || (list[index - 1] as Item).number < (item as Item).number,
          ),
        )
      );
    }),
  );
  t.pass();
});
