import { foldId, weightOf } from './weight.ts';

/** Monitors whose owner changed, by the agents that lose or gain them. */
export type Moves = Map<string, Set<string>>;

type Planned = { regions: readonly string[] };

const startCapacity = 64;
const nobody = -1;

/**
 * Who runs which monitor in each region: the live agent with the highest weight for it (rendezvous hashing), so that
 * every replica computes the same from the same rows. Owners are stored, so an agent that comes costs one hash for each
 * monitor of its region, and one that goes only the monitors it had. A monitor takes some 60 bytes in each region.
 */
export class Plan<Monitor extends Planned> {
  readonly #slots = new Map<string, number>();
  readonly #monitors: (Monitor | null)[] = [];
  readonly #ids: string[] = [];
  #hashes = new Uint32Array(startCapacity);
  readonly #free: number[] = [];
  readonly #regions = new Map<string, RegionTable>();

  get size(): number {
    return this.#slots.size;
  }

  monitor(id: string): Monitor | null {
    const slot = this.#slots.get(id);
    return slot === undefined ? null : (this.#monitors[slot] ?? null);
  }

  /** The agent that runs the monitor in the region; null when none is alive. */
  owner(id: string, region: string): string | null {
    const slot = this.#slots.get(id);
    return slot === undefined ? null : (this.#regions.get(region)?.ownerOf(slot) ?? null);
  }

  /** Every monitor an agent is to run. */
  *ownedBy(agentId: string, region: string): Generator<[id: string, monitor: Monitor]> {
    for (const slot of this.#regions.get(region)?.slotsOf(agentId) ?? []) {
      const monitor = this.#monitors[slot];
      if (monitor !== null && monitor !== undefined) yield [this.#ids[slot] ?? '', monitor];
    }
  }

  /** Adds a monitor or replaces it. Its owners before and after are noted in `moves`. */
  put(id: string, monitor: Monitor, moves: Moves): void {
    const slot = this.#slots.get(id) ?? this.#take(id);
    const before = this.#monitors[slot]?.regions ?? [];
    this.#monitors[slot] = monitor;
    for (const code of before) {
      if (!monitor.regions.includes(code)) this.#leave(code, slot, moves);
    }
    for (const code of monitor.regions) {
      const region = this.#region(code);
      note(moves, region.add(slot, this.#hashes[slot] ?? 0), id);
    }
  }

  remove(id: string, moves: Moves): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    for (const code of this.#monitors[slot]?.regions ?? []) this.#leave(code, slot, moves);
    this.#slots.delete(id);
    this.#monitors[slot] = null;
    this.#ids[slot] = '';
    this.#free.push(slot);
  }

  addAgent(agentId: string, code: string, moves: Moves): void {
    this.#region(code).addAgent(agentId, (slot, from) => {
      const id = this.#ids[slot] ?? '';
      note(moves, from, id);
      note(moves, agentId, id);
    });
  }

  removeAgent(agentId: string, code: string, moves: Moves): void {
    this.#regions.get(code)?.removeAgent(agentId, (slot, to) => {
      const id = this.#ids[slot] ?? '';
      note(moves, agentId, id);
      note(moves, to, id);
    });
  }

  #take(id: string): number {
    const slot = this.#free.pop() ?? this.#monitors.length;
    this.#slots.set(id, slot);
    this.#ids[slot] = id;
    this.#monitors[slot] = null;
    if (slot >= this.#hashes.length) this.#hashes = grown(this.#hashes);
    this.#hashes[slot] = foldId(id);
    return slot;
  }

  #region(code: string): RegionTable {
    let region = this.#regions.get(code);
    if (region === undefined) {
      region = new RegionTable();
      this.#regions.set(code, region);
    }
    return region;
  }

  #leave(code: string, slot: number, moves: Moves): void {
    note(moves, this.#regions.get(code)?.remove(slot) ?? null, this.#ids[slot] ?? '');
  }
}

type Agent = { id: string; hash: number };

/** The monitors of one region in rows without gaps: slot, owner and the owner's weight. */
class RegionTable {
  readonly #rows = new Map<number, number>();
  #slots = new Uint32Array(startCapacity);
  #hashes = new Uint32Array(startCapacity);
  #owners = new Int32Array(startCapacity);
  #weights = new Uint32Array(startCapacity);
  /** By a number that stays an agent's while it lives; null where one is gone. */
  readonly #agents: (Agent | null)[] = [];

  ownerOf(slot: number): string | null {
    const row = this.#rows.get(slot);
    return row === undefined ? null : this.#idOf(this.#owners[row] ?? nobody);
  }

  *slotsOf(agentId: string): Generator<number> {
    const number = this.#numberOf(agentId);
    if (number === nobody) return;
    for (let row = 0; row < this.#rows.size; row++) {
      if (this.#owners[row] === number) yield this.#slots[row] ?? 0;
    }
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
      this.#elect(row);
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

  /** The newcomer takes each monitor for which it outweighs the owner. */
  addAgent(id: string, moved: (slot: number, from: string | null) => void): void {
    if (this.#numberOf(id) !== nobody) return;
    const hash = foldId(id);
    const vacant = this.#agents.indexOf(null);
    const number = vacant < 0 ? this.#agents.length : vacant;
    this.#agents[number] = { id, hash };
    for (let row = 0; row < this.#rows.size; row++) {
      const weight = weightOf(hash, this.#hashes[row] ?? 0);
      if (!this.#outweighs(id, weight, row)) continue;
      const from = this.#idOf(this.#owners[row] ?? nobody);
      this.#owners[row] = number;
      this.#weights[row] = weight;
      moved(this.#slots[row] ?? 0, from);
    }
  }

  /** Only the monitors of the one that is gone are planned again. */
  removeAgent(id: string, moved: (slot: number, to: string | null) => void): void {
    const number = this.#numberOf(id);
    if (number === nobody) return;
    this.#agents[number] = null;
    for (let row = 0; row < this.#rows.size; row++) {
      if (this.#owners[row] !== number) continue;
      this.#elect(row);
      moved(this.#slots[row] ?? 0, this.#idOf(this.#owners[row] ?? nobody));
    }
  }

  #elect(row: number): void {
    this.#owners[row] = nobody;
    this.#weights[row] = 0;
    for (const [number, agent] of this.#agents.entries()) {
      if (agent === null) continue;
      const weight = weightOf(agent.hash, this.#hashes[row] ?? 0);
      if (!this.#outweighs(agent.id, weight, row)) continue;
      this.#owners[row] = number;
      this.#weights[row] = weight;
    }
  }

  /** Ties go to the lower id, so that the order of arrival does not matter. */
  #outweighs(id: string, weight: number, row: number): boolean {
    const owner = this.#idOf(this.#owners[row] ?? nobody);
    const current = this.#weights[row] ?? 0;
    return owner === null || weight > current || (weight === current && id < owner);
  }

  #numberOf(id: string): number {
    return this.#agents.findIndex(agent => agent?.id === id);
  }

  #idOf(number: number): string | null {
    return this.#agents[number]?.id ?? null;
  }

  #grow(): void {
    this.#slots = grown(this.#slots);
    this.#hashes = grown(this.#hashes);
    this.#weights = grown(this.#weights);
    const owners = new Int32Array(this.#owners.length * 2);
    owners.set(this.#owners);
    this.#owners = owners;
  }
}

function grown(column: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(column.length * 2);
  larger.set(column);
  return larger;
}

function note(moves: Moves, agentId: string | null, monitorId: string): void {
  if (agentId === null) return;
  const ids = moves.get(agentId);
  if (ids === undefined) moves.set(agentId, new Set([monitorId]));
  else ids.add(monitorId);
}
