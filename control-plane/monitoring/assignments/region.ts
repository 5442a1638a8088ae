import { type Moved, RegionTable } from './region-table.ts';

/** A live agent. `able`: the words of what it can do, parted by blanks. */
export type LiveAgent = { id: string; able: string };

/**
 * The agents of one region, and its monitors in a table for each list of needs: only agents that can do all of it run
 * them. What every agent of the region can do has the same owners as what needs nothing.
 */
export class Region {
  readonly #agents = new Map<string, string>();
  readonly #tables = new Map<string, RegionTable>();

  constructor(agents: readonly LiveAgent[]) {
    for (const { id, able } of agents) this.#agents.set(id, able);
  }

  has(slot: number, needs: string): boolean {
    return this.#tables.get(needs)?.has(slot) ?? false;
  }

  ownerOf(slot: number, needs: string): string | null {
    return this.#tables.get(needs)?.ownerOf(slot) ?? null;
  }

  /** Adds the monitor unless it is here. Returns its owner. */
  add(slot: number, hash: number, needs: string): string | null {
    const table = this.#tables.get(needs) ?? this.#open(needs);
    return table.add(slot, hash);
  }

  /** Returns who ran the monitor. */
  remove(slot: number, needs: string): string | null {
    return this.#tables.get(needs)?.remove(slot) ?? null;
  }

  /** The slots that each of these agents owns. */
  slotsOf(agentIds: readonly string[]): Map<string, number[]> {
    const found = new Map<string, number[]>(agentIds.map(id => [id, []]));
    for (const table of this.#tables.values())
      for (const [id, slots] of table.slotsOf(agentIds)) for (const slot of slots) found.get(id)?.push(slot);
    return found;
  }

  /**
   * Agents that come, or can do something else than before, and agents that go. Each step is one turn's work; nothing
   * else may be changed before the last one.
   */
  *changeAgents(come: readonly LiveAgent[], gone: readonly string[], moved: Moved): Generator<void> {
    const before = new Map(this.#agents);
    for (const id of gone) this.#agents.delete(id);
    for (const { id, able } of come) this.#agents.set(id, able);
    for (const [needs, table] of this.#tables) {
      const could = (id: string) => isAble(before.get(id), needs);
      const can = (id: string) => isAble(this.#agents.get(id), needs);
      const changed = [...gone, ...come.map(({ id }) => id)];
      yield* table.changeAgents(
        changed.filter(id => can(id) && !could(id)),
        changed.filter(id => could(id) && !can(id)),
        moved,
      );
    }
  }

  #open(needs: string): RegionTable {
    const table = new RegionTable();
    const able = [...this.#agents.keys()].filter(id => isAble(this.#agents.get(id), needs));
    for (const _ of table.changeAgents(able, [], () => {}));
    this.#tables.set(needs, table);
    return table;
  }
}

/** Undefined for an agent that is not there. */
export function isAble(able: string | undefined, needs: string): boolean {
  if (able === undefined || needs === '') return able !== undefined;
  const words = able.split(' ');
  return needs.split(' ').every(word => words.includes(word));
}
