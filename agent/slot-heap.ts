/** An item the heap can order. `heapIndex` belongs to the heap: -1 while the item is not in it. */
export type HeapItem = { nextSlotMs: number; heapIndex: number };

/** Binary heap of items by their next slot. `put` and `remove` take O(log n); `first` takes O(1). */
export class SlotHeap<Item extends HeapItem> {
  readonly #items: Item[] = [];

  /** The item with the earliest slot; undefined when the heap is empty. */
  get first(): Item | undefined {
    return this.#items[0];
  }

  /** Inserts an item, or moves it after its `nextSlotMs` changed. */
  put(item: Item): void {
    if (item.heapIndex < 0) {
      item.heapIndex = this.#items.length;
      this.#items.push(item);
    }
    this.#siftUp(item);
    this.#siftDown(item);
  }

  /** Removes an item; does nothing if it is not in the heap. */
  remove(item: Item): void {
    const index = item.heapIndex;
    if (index < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#set(index, last);
    this.#siftUp(last);
    this.#siftDown(last);
  }

  #siftUp(item: Item): void {
    while (item.heapIndex > 0) {
      const parentIndex = (item.heapIndex - 1) >> 1;
      const parent = this.#items[parentIndex];
      if (parent === undefined || parent.nextSlotMs <= item.nextSlotMs) return;
      this.#set(item.heapIndex, parent);
      this.#set(parentIndex, item);
    }
  }

  #siftDown(item: Item): void {
    for (;;) {
      const leftIndex = item.heapIndex * 2 + 1;
      const [left, right] = [this.#items[leftIndex], this.#items[leftIndex + 1]];
      const child = right !== undefined && left !== undefined && right.nextSlotMs < left.nextSlotMs ? right : left;
      if (child === undefined || child.nextSlotMs >= item.nextSlotMs) return;
      const childIndex = child.heapIndex;
      this.#set(item.heapIndex, child);
      this.#set(childIndex, item);
    }
  }

  #set(index: number, item: Item): void {
    this.#items[index] = item;
    item.heapIndex = index;
  }
}
