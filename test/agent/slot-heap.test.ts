import test from 'ava';
import fc from 'fast-check';
import { type HeapItem, SlotHeap } from '#agent/slot-heap.ts';

const newItem = (nextSlotMs: number): HeapItem => ({ nextSlotMs, heapIndex: -1 });

/** Takes the first item out until the heap is empty; the slots in the order they came. */
function drain(heap: SlotHeap<HeapItem>): number[] {
  const slots: number[] = [];
  for (let first = heap.first; first !== undefined; first = heap.first) {
    slots.push(first.nextSlotMs);
    heap.remove(first);
  }
  return slots;
}

const ascending = (left: number, right: number) => left - right;

test('an empty heap has no first item, and removing from it does nothing', t => {
  const heap = new SlotHeap<HeapItem>();
  t.is(heap.first, undefined);
  const item = newItem(1);
  heap.remove(item);
  t.is(item.heapIndex, -1);
});

test('a removed item can be removed again without effect, and put back', t => {
  const heap = new SlotHeap<HeapItem>();
  const [early, late] = [newItem(1), newItem(2)];
  heap.put(early);
  heap.put(late);
  heap.remove(early);
  heap.remove(early);
  t.is(heap.first, late);
  heap.put(early);
  t.is(heap.first, early);
  t.deepEqual(drain(heap), [1, 2]);
});

test('an item whose slot changed moves to its new position in either direction', t => {
  const heap = new SlotHeap<HeapItem>();
  const items = [10, 20, 30, 40, 50].map(newItem);
  for (const item of items) heap.put(item);
  const [first, , , , last] = items;
  if (first === undefined || last === undefined) throw new Error('five items');
  first.nextSlotMs = 45;
  heap.put(first);
  t.is(heap.first?.nextSlotMs, 20);
  last.nextSlotMs = 5;
  heap.put(last);
  t.is(heap.first, last);
  t.deepEqual(drain(heap), [5, 20, 30, 40, 45]);
});

type Step =
  | { type: 'put'; slot: number }
  | { type: 'move'; pick: number; slot: number }
  | { type: 'remove'; pick: number };

const slot = fc.integer({ min: 0, max: 40 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('put' as const), slot }),
  fc.record({ type: fc.constant('move' as const), pick: fc.nat(), slot }),
  fc.record({ type: fc.constant('remove' as const), pick: fc.nat() }),
);

/** Applies one step to the heap and to the plain list of items that must agree with it. */
function apply(next: Step, heap: SlotHeap<HeapItem>, items: HeapItem[]): void {
  if (next.type === 'put') {
    const item = newItem(next.slot);
    items.push(item);
    return heap.put(item);
  }
  const item = items[next.pick % Math.max(1, items.length)];
  if (item === undefined) return;
  if (next.type === 'move') {
    item.nextSlotMs = next.slot;
    return heap.put(item);
  }
  items.splice(items.indexOf(item), 1);
  heap.remove(item);
}

test('the item that fills the gap of a removed one may have to rise', t => {
  const heap = new SlotHeap<HeapItem>();
  const items = [1, 10, 2, 11, 12, 3, 4].map(newItem);
  for (const item of items) heap.put(item);
  const removed = items.find(item => item.nextSlotMs === 11);
  if (removed === undefined) throw new Error('an item');
  heap.remove(removed);
  t.is(items.find(item => item.nextSlotMs === 4)?.heapIndex, 1);
  t.deepEqual(drain(heap), [1, 2, 3, 4, 10, 12]);
});

test('after any steps the heap agrees with a sorted list, and each item knows its index', t => {
  fc.assert(
    fc.property(fc.array(slot, { maxLength: 60 }), fc.array(step, { maxLength: 100 }), (slots, steps) => {
      const heap = new SlotHeap<HeapItem>();
      const items = slots.map(newItem);
      for (const item of items) heap.put(item);
      for (const next of steps) {
        apply(next, heap, items);
        const least = Math.min(...items.map(item => item.nextSlotMs));
        t.is(heap.first?.nextSlotMs, items.length === 0 ? undefined : least);
      }
      const indexes = items.map(item => item.heapIndex).toSorted(ascending);
      t.deepEqual(
        indexes,
        indexes.map((_, index) => index),
      );
      t.deepEqual(drain(heap), items.map(item => item.nextSlotMs).toSorted(ascending));
    }),
  );
});
