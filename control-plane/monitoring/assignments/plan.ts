import type { Moves } from './moves.ts';
import { type LiveAgent, Region } from './region.ts';
import { grown } from './region-table.ts';
import { foldId } from './weight.ts';

/** What planning needs to know of a monitor. `needs`: what its agents must be able to do, words parted by blanks. */
export type PlannedMonitor = { id: string; version: number; regions: readonly string[]; needs: string };

/** The regions and needs of at least one monitor; the regions in the order of their codes. */
type RegionList = { key: string; codes: readonly string[]; needs: string; uses: number };

const noRegions: RegionList = { key: '', codes: [], needs: '', uses: 0 };
const startCapacity = 64;
/** Monitors looked at before other work may go on. */
const slotsPerTurn = 100_000;

/**
 * Who runs which monitor in each open region: the able agent with the highest weight for it (rendezvous hashing), so
 * that every replica computes the same from the same rows. Owners are stored, so an agent that comes costs one hash for
 * each monitor of its region, and one that goes only the monitors it had. It holds the monitors of its open regions
 * only; one takes some 150 bytes, and 60 more in each of them.
 */
export class Plan {
  readonly #slots = new Map<string, number>();
  /** By slot, like those below. An empty id where there is no monitor. */
  readonly #ids: string[] = [];
  readonly #regionLists: RegionList[] = [];
  #versions = new Uint32Array(startCapacity);
  #hashes = new Uint32Array(startCapacity);
  readonly #free: number[] = [];
  readonly #regions = new Map<string, Region>();
  /** Monitors with the same regions share one list: a list of its own would be most of what a monitor takes. */
  readonly #sharedLists = new Map<string, RegionList>();

  /** Number of monitors in open regions. */
  get size(): number {
    return this.#slots.size;
  }

  /** Number of lists of regions, for which the monitors' clients choose the regions. */
  get regionLists(): number {
    return this.#sharedLists.size;
  }

  isOpen(code: string): boolean {
    return this.#regions.has(code);
  }

  get openRegions(): string[] {
    return [...this.#regions.keys()];
  }

  /** Null if no open region has it. Its regions are in the order of their codes. */
  monitor(id: string): PlannedMonitor | null {
    const slot = this.#slots.get(id);
    if (slot === undefined) return null;
    return { id, version: this.#versions[slot] ?? 0, regions: this.#codesOf(slot), needs: this.#needsOf(slot) };
  }

  /** The agent that runs the monitor in the region; null when none that can is alive. */
  owner(id: string, code: string): string | null {
    const slot = this.#slots.get(id);
    return slot === undefined ? null : (this.#regions.get(code)?.ownerOf(slot, this.#needsOf(slot)) ?? null);
  }

  /** Every monitor that each of these agents is to run, with its version. */
  ownedBy(agentIds: Iterable<string>, code: string): Map<string, [id: string, version: number][]> {
    const slots = this.#regions.get(code)?.slotsOf([...agentIds]) ?? new Map<string, number[]>();
    return new Map(
      [...slots].map(([agentId, own]) => [
        agentId,
        own.map(slot => [this.#ids[slot] ?? '', this.#versions[slot] ?? 0] as [string, number]),
      ]),
    );
  }

  /** Adds a monitor or replaces it. Notes its owners where something changed for them. */
  put({ id, version, regions, needs }: PlannedMonitor, moves: Moves): void {
    if (!regions.some(code => this.#regions.has(code))) return this.remove(id, moves);
    const slot = this.#slots.get(id) ?? this.#take(id);
    const isNewVersion = this.#versions[slot] !== version;
    const isElsewhere = needs !== this.#needsOf(slot);
    for (const code of this.#codesOf(slot)) if (isElsewhere || !regions.includes(code)) this.#leave(code, slot, moves);
    this.#useList(slot, regions, needs);
    this.#versions[slot] = version;
    for (const code of regions) {
      const region = this.#regions.get(code);
      if (region === undefined || (!isNewVersion && region.has(slot, needs))) continue;
      moves.note(region.add(slot, this.#hashes[slot] ?? 0, needs), id);
    }
  }

  remove(id: string, moves: Moves): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    for (const code of this.#codesOf(slot)) this.#leave(code, slot, moves);
    this.#release(slot);
  }

  /** Opens a region without monitors, for the agents that are live in it. */
  openRegion(code: string, agents: readonly LiveAgent[]): void {
    this.#regions.set(code, new Region(agents));
  }

  /** Closes a region and forgets the monitors that no open one has. Each step is one turn's work, as below. */
  *closeRegion(code: string): Generator<void> {
    this.#regions.delete(code);
    for (let slot = 0; slot < this.#ids.length; slot++) {
      const isOpen = this.#codesOf(slot).some(other => this.#regions.has(other));
      if (this.#ids[slot] !== '' && !isOpen) this.#release(slot);
      if (slot % slotsPerTurn === slotsPerTurn - 1) yield;
    }
  }

  /** Agents that come to a region or can do something else, and go; what moves is noted for both sides. */
  *changeAgents(code: string, come: readonly LiveAgent[], gone: readonly string[], moves: Moves): Generator<void> {
    const region = this.#regions.get(code);
    if (region === undefined) return;
    yield* region.changeAgents(come, gone, (slot, from, to) => {
      const id = this.#ids[slot] ?? '';
      moves.note(from, id);
      moves.note(to, id);
    });
  }

  /** Ids of all monitors. */
  ids(): IterableIterator<string> {
    return this.#slots.keys();
  }

  #take(id: string): number {
    const slot = this.#free.pop() ?? this.#ids.length;
    if (slot >= this.#hashes.length) {
      this.#hashes = grown(this.#hashes, slot * 2);
      this.#versions = grown(this.#versions, slot * 2);
    }
    this.#slots.set(id, slot);
    this.#ids[slot] = id;
    this.#regionLists[slot] = noRegions;
    this.#hashes[slot] = foldId(id);
    // Versions begin at 1: whichever comes is a new one.
    this.#versions[slot] = 0;
    return slot;
  }

  #release(slot: number): void {
    this.#slots.delete(this.#ids[slot] ?? '');
    this.#ids[slot] = '';
    this.#dropList(slot);
    this.#regionLists[slot] = noRegions;
    this.#free.push(slot);
  }

  #leave(code: string, slot: number, moves: Moves): void {
    moves.note(this.#regions.get(code)?.remove(slot, this.#needsOf(slot)) ?? null, this.#ids[slot] ?? '');
  }

  #codesOf(slot: number): readonly string[] {
    return this.#regionLists[slot]?.codes ?? [];
  }

  #needsOf(slot: number): string {
    return this.#regionLists[slot]?.needs ?? '';
  }

  /** The order in which a client names regions means nothing: each order would be a list. */
  #useList(slot: number, regions: readonly string[], needs: string): void {
    const codes = regions.toSorted();
    const key = `${codes.join()} ${needs}`;
    const list = this.#sharedLists.get(key) ?? { key, codes, needs, uses: 0 };
    list.uses += 1;
    this.#sharedLists.set(key, list);
    this.#dropList(slot);
    this.#regionLists[slot] = list;
  }

  /** A list that no monitor has any more is forgotten. */
  #dropList(slot: number): void {
    const list = this.#regionLists[slot] ?? noRegions;
    if (list === noRegions) return;
    list.uses -= 1;
    if (list.uses === 0) this.#sharedLists.delete(list.key);
  }
}
