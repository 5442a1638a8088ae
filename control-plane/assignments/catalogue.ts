import { setImmediate } from 'node:timers/promises';
import { type RosterRow, readRoster } from '../agents/store.ts';
import type { Sql } from '../db/sql.ts';
import { type Moves, Plan } from './plan.ts';
import { currentXid, type PlannedMonitor, readActive, readChanged } from './store.ts';

/** The changes found by one reading: the monitors each agent has to look at again, and changed agents. */
export type CatalogueChange = { moves: Moves; agents: readonly RosterRow[] };

const pageSize = 5000;
/** Rows applied in one turn of the event loop. */
const sliceSize = 2000;

/**
 * This replica's copy of active monitors and live agents, and the plan made from them. Each reading starts at the
 * oldest transaction that was running during the last one, so it may see a row twice but never misses one.
 */
export class Catalogue {
  readonly #sql: Sql;
  readonly #plan = new Plan<PlannedMonitor>();
  readonly #agents = new Map<string, RosterRow>();
  /** Monitors with the same regions share one list: a list of its own would be most of what a monitor takes. */
  readonly #regionLists = new Map<string, readonly string[]>();
  #monitorsXid: string | null = null;
  #rosterXid = '0';

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Null if the monitor is unknown, paused or deleted. */
  monitor(id: string): PlannedMonitor | null {
    return this.#plan.monitor(id);
  }

  /** The agent that runs the monitor in the region; null if none is live. */
  owner(monitorId: string, region: string): string | null {
    return this.#plan.owner(monitorId, region);
  }

  /** True if the agent should run the monitor. */
  isOwnedBy(monitorId: string, agent: { id: string; region: string }): boolean {
    return this.#plan.owner(monitorId, agent.region) === agent.id;
  }

  /** All monitors that an agent should run, with versions. */
  wantedBy(agentId: string, region: string): Map<string, number> {
    const wanted = new Map<string, number>();
    for (const [id, { version }] of this.#plan.ownedBy(agentId, region)) wanted.set(id, version);
    return wanted;
  }

  /** Number of active monitors. */
  get size(): number {
    return this.#plan.size;
  }

  /**
   * Reads the changes since the last reading, or everything. Nothing is applied before all is read, so a failure loses
   * no change. What is applied gives way to other work now and then.
   */
  async read(): Promise<CatalogueChange> {
    const roster = await readRoster(this.#sql, this.#rosterXid);
    const active = this.#monitorsXid === null ? await this.#readAll() : { monitors: [], xid: this.#monitorsXid };
    const changed = await readChanged(this.#sql, active.xid);
    this.#rosterXid = roster.nextXid;
    this.#monitorsXid = changed.nextXid;
    const moves: Moves = new Map();
    const agents: RosterRow[] = [];
    for (const row of roster.agents) if (this.#putAgent(row, moves)) agents.push(row);
    let applied = 0;
    for (const monitors of [active.monitors, changed.monitors]) {
      for (const monitor of monitors) {
        this.#putMonitor(monitor, moves);
        applied += 1;
        if (applied % sliceSize === 0) await setImmediate();
      }
    }
    return { moves, agents };
  }

  async #readAll(): Promise<{ monitors: PlannedMonitor[]; xid: string }> {
    const xid = await currentXid(this.#sql);
    const monitors: PlannedMonitor[] = [];
    for (let after = ''; ; ) {
      const page = await readActive(this.#sql, after, pageSize);
      for (const monitor of page) monitors.push(this.#withSharedRegions(monitor));
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return { monitors, xid };
      after = last.id;
    }
  }

  #putMonitor(monitor: PlannedMonitor, moves: Moves): void {
    if (!monitor.active) return this.#plan.remove(monitor.id, moves);
    if (this.#plan.monitor(monitor.id)?.version === monitor.version) return;
    this.#plan.put(monitor.id, this.#withSharedRegions(monitor), moves);
  }

  /** True if the agent changed. */
  #putAgent(row: RosterRow, moves: Moves): boolean {
    const before = this.#agents.get(row.id);
    const changed =
      before === undefined ||
      before.online !== row.online ||
      before.revoked !== row.revoked ||
      before.session_id !== row.session_id;
    if (!changed) return false;
    this.#agents.set(row.id, row);
    const isLive = row.online && !row.revoked;
    const wasLive = before?.online === true && !before.revoked;
    if (isLive && !wasLive) this.#plan.addAgent(row.id, row.region, moves);
    if (!isLive && wasLive) this.#plan.removeAgent(row.id, row.region, moves);
    return true;
  }

  #withSharedRegions(monitor: PlannedMonitor): PlannedMonitor {
    const key = monitor.regions.join();
    const shared = this.#regionLists.get(key);
    if (shared === monitor.regions) return monitor;
    if (shared === undefined) this.#regionLists.set(key, monitor.regions);
    return { ...monitor, regions: shared ?? monitor.regions };
  }
}
