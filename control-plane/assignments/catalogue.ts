import { type RosterRow, readRoster } from '../agents/store.ts';
import type { Sql } from '../db/sql.ts';
import { ownerOf } from './plan.ts';
import { currentXid, type PlannedMonitor, readActive, readChanged } from './store.ts';

/** What one reading brought: monitors to look at, regions whose agents changed, and the agents' rows. */
export type CatalogueChange = {
  monitors: readonly string[];
  regions: ReadonlySet<string>;
  agents: readonly RosterRow[];
};

const pageSize = 5000;

/**
 * This replica's picture of active monitors and live agents. It reads what changed since the oldest transaction
 * that was running at its last reading, so it may see a row twice but never misses one.
 */
export class Catalogue {
  readonly #sql: Sql;
  readonly #monitors = new Map<string, PlannedMonitor>();
  readonly #byRegion = new Map<string, Set<string>>();
  readonly #agents = new Map<string, RosterRow>();
  readonly #live = new Map<string, string[]>();
  #monitorsXid: string | null = null;
  #rosterXid = '0';

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  monitor(id: string): PlannedMonitor | null {
    return this.#monitors.get(id) ?? null;
  }

  /** The agent that runs the monitor in the region; null when none is alive. */
  owner(monitorId: string, region: string): string | null {
    return ownerOf(monitorId, this.#live.get(region) ?? []);
  }

  isOwnedBy(monitorId: string, agent: { id: string; region: string }): boolean {
    const runs = this.#monitors.get(monitorId)?.regions.includes(agent.region) ?? false;
    return runs && this.owner(monitorId, agent.region) === agent.id;
  }

  /** Everything an agent is to run, with versions. */
  wantedBy(agentId: string, region: string): Map<string, number> {
    const wanted = new Map<string, number>();
    for (const id of this.#byRegion.get(region) ?? []) {
      const monitor = this.#monitors.get(id);
      if (monitor !== undefined && this.owner(id, region) === agentId) wanted.set(id, monitor.version);
    }
    return wanted;
  }

  get size(): number {
    return this.#monitors.size;
  }

  /** Reads on; the first reading takes everything. All is read before anything is taken over, so that a failure loses no news. */
  async read(): Promise<CatalogueChange> {
    const roster = await readRoster(this.#sql, this.#rosterXid);
    const active = this.#monitorsXid === null ? await this.#readAll() : { monitors: [], xid: this.#monitorsXid };
    const changed = await readChanged(this.#sql, active.xid);
    const regions = new Set<string>();
    const agents = roster.agents.filter(row => this.#putAgent(row, regions));
    const monitors = [...active.monitors, ...changed.monitors]
      .filter(monitor => this.#putMonitor(monitor))
      .map(monitor => monitor.id);
    this.#rosterXid = roster.nextXid;
    this.#monitorsXid = changed.nextXid;
    return { monitors, regions, agents };
  }

  async #readAll(): Promise<{ monitors: PlannedMonitor[]; xid: string }> {
    const xid = await currentXid(this.#sql);
    const monitors: PlannedMonitor[] = [];
    for (let after = ''; ; ) {
      const page = await readActive(this.#sql, after, pageSize);
      monitors.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return { monitors, xid };
      after = last.id;
    }
  }

  /** True when it is news. */
  #putMonitor(monitor: PlannedMonitor): boolean {
    const held = this.#monitors.get(monitor.id);
    if (held === undefined && !monitor.active) return false;
    if (held?.version === monitor.version && monitor.active) return false;
    for (const region of held?.regions ?? []) this.#byRegion.get(region)?.delete(monitor.id);
    if (!monitor.active) {
      this.#monitors.delete(monitor.id);
      return true;
    }
    this.#monitors.set(monitor.id, monitor);
    for (const region of monitor.regions) {
      const ids = this.#byRegion.get(region) ?? new Set();
      this.#byRegion.set(region, ids.add(monitor.id));
    }
    return true;
  }

  /** True when it is news; notes regions whose live agents are others now. */
  #putAgent(row: RosterRow, regions: Set<string>): boolean {
    const held = this.#agents.get(row.id);
    const news =
      held === undefined ||
      held.online !== row.online ||
      held.revoked !== row.revoked ||
      held.session_id !== row.session_id;
    if (!news) return false;
    this.#agents.set(row.id, row);
    const isLive = row.online && !row.revoked;
    if (isLive !== (held?.online && !held.revoked)) {
      const others = (this.#live.get(row.region) ?? []).filter(id => id !== row.id);
      this.#live.set(row.region, isLive ? [...others, row.id].sort() : others);
      regions.add(row.region);
    }
    return true;
  }
}
