/** The part of a resource that one piece of work uses, returned when it is disposed. */
export type Hold = Disposable & {
  /** Takes more; false if the lane's share or the resource is used up, or after disposal: then nothing is taken. */
  take(amount: number): boolean;
};

/**
 * A bounded resource that lanes share fairly. Half of it is guaranteed to them in equal parts. Of the rest a lane may
 * use as much as it leaves free, so that the next one finds half of that. A single lane may use everything.
 */
export class Shares {
  readonly #total: number;
  readonly #lanes: () => number;
  readonly #held = new Map<string, number>();
  #used = 0;

  /** `lanes`: how many lanes there are at present. */
  constructor(total: number, lanes: () => number) {
    this.#total = total;
    this.#lanes = lanes;
  }

  /** What all lanes use. */
  get used(): number {
    return this.#used;
  }

  /** True if the lane may use this much more. */
  fits(lane: string, amount: number): boolean {
    const free = this.#total - this.#used;
    const lanes = this.#lanes();
    if (amount > free || lanes <= 1) return amount <= free;
    const guaranteed = this.#total / 2 / lanes;
    const held = this.#held.get(lane);
    const otherLanes = this.#held.size - (held === undefined ? 0 : 1);
    const forIdleLanes = guaranteed * Math.max(0, lanes - 1 - otherLanes);
    return (held ?? 0) + amount <= Math.max(guaranteed, free - forIdleLanes);
  }

  /** Counts this much as used, whether it fits or not. */
  add(lane: string, amount: number): void {
    this.#used += amount;
    this.#held.set(lane, (this.#held.get(lane) ?? 0) + amount);
  }

  remove(lane: string, amount: number): void {
    this.#used -= amount;
    const left = (this.#held.get(lane) ?? 0) - amount;
    if (left > 0) this.#held.set(lane, left);
    else this.#held.delete(lane);
  }

  /** Opens a hold of nothing. */
  hold(lane: string): Hold {
    let held = 0;
    let isOver = false;
    return {
      take: amount => {
        if (isOver || !this.fits(lane, amount)) return false;
        this.add(lane, amount);
        held += amount;
        return true;
      },
      [Symbol.dispose]: () => {
        this.remove(lane, held);
        held = 0;
        isOver = true;
      },
    };
  }
}
