/** What a heap keeps in order: `placeInHeap` is the heap's own, -1 outside of it. */
export type HeapItem = { nextSlotMs: number; placeInHeap: number };

/** The items in order of their next slot; put, move and remove cost the logarithm of the number of items. */
export class SlotHeap<Item extends HeapItem> {
  readonly #items: Item[] = [];

  get first(): Item | undefined {
    return this.#items[0];
  }

  /** Puts an item in, or to its new place after its slot changed. */
  place(item: Item): void {
    if (item.placeInHeap < 0) {
      item.placeInHeap = this.#items.length;
      this.#items.push(item);
    }
    this.#rise(item);
    this.#sink(item);
  }

  remove(item: Item): void {
    const place = item.placeInHeap;
    if (place < 0) return;
    item.placeInHeap = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#set(place, last);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(item: Item): void {
    while (item.placeInHeap > 0) {
      const above = (item.placeInHeap - 1) >> 1;
      const parent = this.#items[above];
      if (parent === undefined || parent.nextSlotMs <= item.nextSlotMs) return;
      this.#set(item.placeInHeap, parent);
      this.#set(above, item);
    }
  }

  #sink(item: Item): void {
    for (;;) {
      const below = item.placeInHeap * 2 + 1;
      const [left, right] = [this.#items[below], this.#items[below + 1]];
      const least = right !== undefined && left !== undefined && right.nextSlotMs < left.nextSlotMs ? right : left;
      if (least === undefined || least.nextSlotMs >= item.nextSlotMs) return;
      const place = least.placeInHeap;
      this.#set(item.placeInHeap, least);
      this.#set(place, item);
    }
  }

  #set(place: number, item: Item): void {
    this.#items[place] = item;
    item.placeInHeap = place;
  }
}
