/** Items in lanes, taken from each lane in turn: who adds much waits behind nobody's queue but their own. */
export class FairQueue<Item extends { size: number }> {
  readonly #lanes = new Map<string, Item[]>();

  get isEmpty(): boolean {
    return this.#lanes.size === 0;
  }

  push(lane: string, item: Item): void {
    const items = this.#lanes.get(lane);
    if (items === undefined) this.#lanes.set(lane, [item]);
    else items.push(item);
  }

  /** Removes items until the next one would exceed `sizeMax` together; the first is taken whatever its size. */
  take(sizeMax: number): Item[] {
    const taken: Item[] = [];
    let size = 0;
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const [lane, items, item] = next;
      if (taken.length > 0 && size + item.size > sizeMax) break;
      items.shift();
      // A map keeps the order of insertion: the lane goes behind the others.
      this.#lanes.delete(lane);
      if (items.length > 0) this.#lanes.set(lane, items);
      taken.push(item);
      size += item.size;
    }
    return taken;
  }

  /** Removes and returns everything. */
  clear(): Item[] {
    const items = [...this.#lanes.values()].flat();
    this.#lanes.clear();
    return items;
  }

  #next(): [lane: string, items: Item[], item: Item] | null {
    for (const [lane, items] of this.#lanes) for (const item of items) return [lane, items, item];
    return null;
  }
}
