import { heaviest } from './heaviest.ts';
import { foldId, weightOf } from './weight.ts';

/** Called for each monitor whose owner changes; null where there was or is none. */
export type Moved = (slot: number, from: string | null, to: string | null) => void;

/** Live agents in id order: of equal weights the first one, whose id is lower, wins. */
type Candidates = { numbers: Int32Array; hashes: Uint32Array };

const startCapacity = 64;
const nobody = -1;
const noCandidates: Candidates = { numbers: new Int32Array(), hashes: new Uint32Array() };
/** Weights computed before other work may go on: some 2 ms. */
const weightsPerTurn = 2_000_000;

/** The monitors of one region in rows without gaps: slot, owner and the owner's weight. */
export class RegionTable {
  readonly #rows = new Map<number, number>();
  #slots = new Uint32Array(startCapacity);
  #hashes = new Uint32Array(startCapacity);
  #owners = new Int32Array(startCapacity);
  #weights = new Uint32Array(startCapacity);
  /** By a number that stays an agent's while it lives; null where one is gone. */
  readonly #agents: (string | null)[] = [];
  readonly #numbers = new Map<string, number>();
  #candidates = noCandidates;

  get agentCount(): number {
    return this.#numbers.size;
  }

  has(slot: number): boolean {
    return this.#rows.has(slot);
  }

  ownerOf(slot: number): string | null {
    const row = this.#rows.get(slot);
    return row === undefined ? null : this.#idOf(this.#owners[row] ?? nobody);
  }

  /** The slots that each of these agents owns, found in one pass over all rows. */
  slotsOf(agentIds: Iterable<string>): Map<string, number[]> {
    const byNumber: (number[] | undefined)[] = new Array(this.#agents.length).fill(undefined);
    const found = new Map<string, number[]>();
    for (const id of agentIds) {
      const slots: number[] = [];
      found.set(id, slots);
      const number = this.#numbers.get(id);
      if (number !== undefined) byNumber[number] = slots;
    }
    const owners = this.#owners;
    for (let row = 0; row < this.#rows.size; row++) byNumber[owners[row] ?? nobody]?.push(this.#slots[row] ?? 0);
    return found;
  }

  /** Adds the monitor unless it is here. Returns its owner. */
  add(slot: number, hash: number): string | null {
    let row = this.#rows.get(slot);
    if (row === undefined) {
      row = this.#rows.size;
      this.#rows.set(slot, row);
      if (row >= this.#slots.length) this.#grow();
      this.#slots[row] = slot;
      this.#hashes[row] = hash;
      this.#owners[row] = nobody;
      this.#weights[row] = 0;
      this.#elect(row, this.#candidates);
    }
    return this.#idOf(this.#owners[row] ?? nobody);
  }

  /** The last row takes the place of the one removed. Returns who ran the monitor. */
  remove(slot: number): string | null {
    const row = this.#rows.get(slot);
    if (row === undefined) return null;
    const owner = this.#idOf(this.#owners[row] ?? nobody);
    const last = this.#rows.size - 1;
    this.#rows.delete(slot);
    if (row !== last) {
      const moved = this.#slots[last] ?? 0;
      for (const column of [this.#slots, this.#hashes, this.#owners, this.#weights]) column[row] = column[last] ?? 0;
      this.#rows.set(moved, row);
    }
    return owner;
  }

  /**
   * Agents that come take each monitor for which they outweigh its owner; the monitors of those that go are planned
   * again, all in one pass. Each step is one turn's work; nothing else may be changed before the last one.
   */
  *changeAgents(come: readonly string[], gone: readonly string[], moved: Moved): Generator<void> {
    const leaving = new Set(gone.flatMap(id => this.#numbers.get(id) ?? []));
    for (const id of gone) this.#numbers.delete(id);
    const newcomers = come.filter(id => !this.#numbers.has(id));
    for (const id of newcomers) this.#enter(id);
    const fresh = this.#candidatesOf(newcomers);
    this.#candidates = this.#candidatesOf(this.#numbers.keys());
    let weights = 0;
    for (let row = 0; row < this.#rows.size; row++) {
      const before = this.#owners[row] ?? nobody;
      const isLeft = leaving.size > 0 && leaving.has(before);
      if (isLeft) {
        this.#owners[row] = nobody;
        this.#weights[row] = 0;
      }
      const candidates = isLeft ? this.#candidates : fresh;
      this.#elect(row, candidates);
      const after = this.#owners[row] ?? nobody;
      if (after !== before) moved(this.#slots[row] ?? 0, this.#idOf(before), this.#idOf(after));
      weights += candidates.numbers.length + 1;
      if (weights < weightsPerTurn) continue;
      weights = 0;
      yield;
    }
    // Only now may their numbers be another's.
    for (const number of leaving) this.#agents[number] = null;
  }

  #enter(id: string): void {
    const vacant = this.#agents.indexOf(null);
    const number = vacant < 0 ? this.#agents.length : vacant;
    this.#agents[number] = id;
    this.#numbers.set(id, number);
  }

  #candidatesOf(ids: Iterable<string>): Candidates {
    const sorted = [...ids].sort((left, right) => (left < right ? -1 : 1));
    return {
      numbers: Int32Array.from(sorted, id => this.#numbers.get(id) ?? nobody),
      hashes: Uint32Array.from(sorted, foldId),
    };
  }

  /** The heaviest of the candidates takes the row if it outweighs the owner; of equals, the one with the lower id. */
  #elect(row: number, { numbers, hashes }: Candidates): void {
    if (numbers.length === 0) return;
    const hash = this.#hashes[row] ?? 0;
    const best = heaviest(hashes, hash);
    const bestWeight = weightOf(hashes[best] ?? 0, hash);
    const number = numbers[best] ?? nobody;
    const owner = this.#idOf(this.#owners[row] ?? nobody);
    const weight = this.#weights[row] ?? 0;
    if (owner !== null && (bestWeight < weight || (bestWeight === weight && owner < (this.#agents[number] ?? ''))))
      return;
    this.#owners[row] = number;
    this.#weights[row] = bestWeight;
  }

  #idOf(number: number): string | null {
    return this.#agents[number] ?? null;
  }

  #grow(): void {
    const capacity = this.#slots.length * 2;
    this.#slots = grown(this.#slots, capacity);
    this.#hashes = grown(this.#hashes, capacity);
    this.#weights = grown(this.#weights, capacity);
    const owners = new Int32Array(capacity);
    owners.set(this.#owners);
    this.#owners = owners;
  }
}

/** A copy of the column with room for more. */
export function grown(column: Uint32Array<ArrayBuffer>, capacity: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(capacity);
  larger.set(column);
  return larger;
}
