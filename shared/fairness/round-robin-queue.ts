type Waiting<Item> = { urgent: Item[]; ordinary: Item[] };

/**
 * A queue of many keys, each served in turn: who adds much waits behind nobody's items but their own. Within a key
 * urgent items go first, then the oldest.
 */
export class RoundRobinQueue<Item> {
  readonly #keys = new Map<string, Waiting<Item>>();

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  add(key: string, item: Item, isUrgent = false): void {
    const waiting = this.#keys.get(key) ?? { urgent: [], ordinary: [] };
    (isUrgent ? waiting.urgent : waiting.ordinary).push(item);
    this.#keys.set(key, waiting);
  }

  /** Removes and returns an item of the next key that `mayTake` permits; undefined if there is none. */
  take(mayTake: (key: string) => boolean = () => true): Item | undefined {
    for (const [key, waiting] of this.#keys) {
      if (!mayTake(key)) continue;
      const item = waiting.urgent.shift() ?? waiting.ordinary.shift();
      // A map keeps the order of insertion: the key goes behind the others.
      this.#keys.delete(key);
      if (!isEmpty(waiting)) this.#keys.set(key, waiting);
      return item;
    }
    return undefined;
  }

  /** Removes items until the next one would exceed `sizeMax` together; the first is taken whatever its size. */
  takeBatch(sizeMax: number, sizeOf: (item: Item) => number): Item[] {
    const taken: Item[] = [];
    let size = 0;
    for (let next = this.#peek(); next !== undefined; next = this.#peek()) {
      size += sizeOf(next);
      if (taken.length > 0 && size > sizeMax) break;
      this.take();
      taken.push(next);
    }
    return taken;
  }

  /** Removes an item that waits no longer. */
  remove(key: string, item: Item): void {
    const waiting = this.#keys.get(key);
    if (waiting === undefined) return;
    waiting.urgent = waiting.urgent.filter(candidate => candidate !== item);
    waiting.ordinary = waiting.ordinary.filter(candidate => candidate !== item);
    if (isEmpty(waiting)) this.#keys.delete(key);
  }

  /** Removes and returns everything, key by key. */
  clear(): Item[] {
    const items = [...this.#keys.values()].flatMap(({ urgent, ordinary }) => [...urgent, ...ordinary]);
    this.#keys.clear();
    return items;
  }

  /** What `take` would return. */
  #peek(): Item | undefined {
    for (const { urgent, ordinary } of this.#keys.values()) return urgent[0] ?? ordinary[0];
    return undefined;
  }
}

function isEmpty({ urgent, ordinary }: Waiting<unknown>): boolean {
  return urgent.length + ordinary.length === 0;
}
