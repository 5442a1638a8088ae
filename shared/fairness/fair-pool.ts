/** What one piece of work uses of a pool, returned when it is disposed. */
export type Reservation = Disposable & {
  /** Takes more; false if the key's share or the pool is used up, or after disposal: then nothing is taken. */
  take(amount: number): boolean;
};

/**
 * A bounded resource that keys share fairly (max-min): of what is free a key may use as much as it leaves free, so that
 * however many take all they can, the next one finds something.
 *
 * Where it is known how many keys there are, half of the resource is guaranteed to them in equal parts, and a single
 * key may use everything. Where it is not, one key may use half, two a third each.
 */
export class FairPool {
  readonly #total: number;
  readonly #keys: (() => number) | null;
  readonly #usedBy = new Map<string, number>();
  #used = 0;

  /** `keys`: how many keys there are at present; null if nobody knows. */
  constructor(total: number, keys: (() => number) | null) {
    this.#total = total;
    this.#keys = keys;
  }

  /** What all keys use. */
  get used(): number {
    return this.#used;
  }

  /** True if the key may use this much more. */
  fits(key: string, amount: number): boolean {
    const free = this.#total - this.#used;
    const used = this.#usedBy.get(key);
    // The next one, of the same size, has to fit as well.
    if (this.#keys === null) return (used ?? 0) + amount <= free - amount;
    const keys = this.#keys();
    if (amount > free || keys <= 1) return amount <= free;
    const guaranteed = this.#total / 2 / keys;
    const others = this.#usedBy.size - (used === undefined ? 0 : 1);
    const forIdleKeys = guaranteed * Math.max(0, keys - 1 - others);
    return (used ?? 0) + amount <= Math.max(guaranteed, free - forIdleKeys);
  }

  /** Counts this much as used, whether it fits or not. */
  add(key: string, amount: number): void {
    this.#used += amount;
    this.#usedBy.set(key, (this.#usedBy.get(key) ?? 0) + amount);
  }

  remove(key: string, amount: number): void {
    this.#used -= amount;
    const left = (this.#usedBy.get(key) ?? 0) - amount;
    if (left > 0) this.#usedBy.set(key, left);
    else this.#usedBy.delete(key);
  }

  /** Opens a reservation of nothing. */
  reserve(key: string): Reservation {
    let reserved = 0;
    let isOver = false;
    return {
      take: amount => {
        if (isOver || !this.fits(key, amount)) return false;
        this.add(key, amount);
        reserved += amount;
        return true;
      },
      [Symbol.dispose]: () => {
        this.remove(key, reserved);
        reserved = 0;
        isOver = true;
      },
    };
  }
}
