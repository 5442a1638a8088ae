import { setImmediate } from 'node:timers/promises';
import { gatewayCapabilities } from '#shared/capabilities.ts';
import { minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { type DirectoryEntry, readDirectory } from '../agents/directory-store.ts';
import type { AgentSession } from '../agents/hooks.ts';
import { Moves } from './moves.ts';
import { Plan, type PlannedMonitor } from './plan.ts';
import { isAble } from './region.ts';
import { findOwners, listConfigured, type MonitorPage, readActive, readChanged } from './store.ts';

/**
 * The changes found by one reading: the monitors each agent has to look at again, changed agents, and monitors whose
 * version may not be the one that agents have under its number.
 */
export type CatalogueChange = { moves: Moves; agents: readonly DirectoryEntry[]; doubtful: readonly string[] };

const pageSize = 5000;
/** Agents of a region may be away for a restart of theirs, or of the proxy before us. */
const keepMs = 10 * minuteMs;
/** How long monitors are applied before other work may go on, and how often that is looked at. */
const turnMs = 5;
const monitorsPerLook = 32;

/**
 * This replica's copy of live agents and of the active monitors of the regions that its agents are in, and the plan
 * made from them. Each reading starts at the oldest transaction that was running during the last one, so it may see a
 * row twice but never misses one; on another server than the last one it reads everything again.
 */
export class Catalogue {
  readonly #sql: Sql;
  readonly #plan = new Plan();
  readonly #agents = new Map<string, DirectoryEntry>();
  readonly #usedAtMs = new Map<string, number>();
  /** Open regions whose monitors have all been read. */
  readonly #known = new Set<string>();
  #server = '';
  #monitorsXid = '0';
  #directoryXid = '0';

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Null if the monitor is unknown, paused or deleted, or no agent here is in its regions. */
  monitor(id: string): PlannedMonitor | null {
    return this.#plan.monitor(id);
  }

  /** The agent that runs the monitor in the region; null if none is live. */
  owner(monitorId: string, region: string): string | null {
    return this.#plan.owner(monitorId, region);
  }

  /** True if the region's monitors have been read. */
  knows(region: string): boolean {
    return this.#known.has(region);
  }

  /** Whether the agent of a session runs the monitor. What it says that it can do may be younger than its row. */
  isOwner(monitorId: string, { agent, capabilities }: Pick<AgentSession, 'agent' | 'capabilities'>): boolean {
    if (this.#plan.owner(monitorId, agent.region) !== agent.id) return false;
    if (capabilities === undefined) return true;
    return isAble([...capabilities, ...gatewayCapabilities].join(' '), this.#plan.monitor(monitorId)?.needs ?? '');
  }

  /** All monitors that each of these agents of a region should run, with versions. */
  wantedBy(agentIds: Iterable<string>, region: string): Map<string, [id: string, version: number][]> {
    return this.#plan.ownedBy(agentIds, region);
  }

  /** Agents of the region that went within ten minutes and are not back, as far as is known. */
  goneLately(code: string, nowMs: number): string[] {
    const isGone = (row: DirectoryEntry) => row.region === code && !row.online && !row.revoked;
    return idsOf([...this.#agents.values()].filter(row => isGone(row) && nowMs - row.seen_ms < keepMs));
  }

  /** Number of monitors held. */
  get size(): number {
    return this.#plan.size;
  }

  /**
   * Reads the changes since the last reading, and all monitors of regions in use that it does not know yet. Changes
   * are noted for the agents that `hears` names. Nothing is applied before all is read, so a failure loses no change.
   * What is applied gives way to other work now and then.
   */
  async read(inUse: ReadonlySet<string>, hears: (agentId: string) => boolean, nowMs: number): Promise<CatalogueChange> {
    let directory = await readDirectory(this.#sql, this.#directoryXid);
    const { server } = directory.position;
    const isOtherServer = server !== this.#server;
    if (isOtherServer) directory = await readDirectory(this.#sql, '0');
    const known = this.#plan.openRegions;
    const opened = [...inUse].filter(code => !this.#plan.isOpen(code));
    const pages = await this.#readPages(isOtherServer ? [...known, ...opened] : opened);
    const isFresh = isOtherServer || known.length === 0;
    const changed = await readChanged(this.#sql, isFresh ? directory.position.xid : this.#monitorsXid);
    // A version that a standby lacks may have been given anew since it took over.
    const isReplaced = isOtherServer && this.#server !== '';
    const doubtful = isReplaced ? await listConfigured(this.#sql, nowMs - keepMs) : [];
    if (changed.position.server !== server) throw new Error('the database was replaced while it was read');

    this.#server = server;
    this.#directoryXid = directory.position.xid;
    this.#monitorsXid = changed.position.xid;
    const moves = new Moves(hears);
    const agents = await this.#putAgents(isOtherServer ? this.#withLost(directory.agents) : directory.agents, moves);
    for (const code of opened) this.#plan.openRegion(code, this.#liveIn(code));
    if (isOtherServer) this.#removeAllBut(pages, moves);
    await this.#putPages(pages, moves);
    for (const monitor of changed.monitors) {
      if (monitor.active) this.#plan.put(monitor, moves);
      else this.#plan.remove(monitor.id, moves);
    }
    for (const code of opened) this.#known.add(code);
    await this.#closeUnused(inUse, nowMs);
    return { moves, agents, doubtful };
  }

  async #readPages(regions: readonly string[]): Promise<MonitorPage[]> {
    const pages: MonitorPage[] = [];
    if (regions.length === 0) return pages;
    const owners = await findOwners(this.#sql, regions);
    for (let after = ''; ; ) {
      const page = await readActive(this.#sql, regions, owners, after, pageSize);
      pages.push(page);
      const last = page.ids.at(-1);
      if (last === undefined || page.ids.length < pageSize) break;
      after = last;
    }
    return pages;
  }

  async #putPages(pages: readonly MonitorPage[], moves: Moves): Promise<void> {
    const lists = new Map<string, readonly string[]>();
    let since = performance.now();
    let applied = 0;
    for (const { ids, versions, regions, needs } of pages) {
      for (const [index, id] of ids.entries()) {
        const key = regions[index] ?? '';
        const list = lists.get(key) ?? key.split(' ');
        lists.set(key, list);
        const needed = needs[index] ?? '';
        this.#plan.put({ id, version: versions[index] ?? 0, regions: list, needs: needed }, moves);
        applied += 1;
        if (applied % monitorsPerLook === 0 && performance.now() - since > turnMs) {
          await setImmediate();
          since = performance.now();
        }
      }
    }
  }

  #removeAllBut(pages: readonly MonitorPage[], moves: Moves): void {
    const kept = new Set(pages.flatMap(({ ids }) => ids));
    for (const id of [...this.#plan.ids()]) if (!kept.has(id)) this.#plan.remove(id, moves);
  }

  /** Returns the rows that differ from what was known. */
  async #putAgents(rows: readonly DirectoryEntry[], moves: Moves): Promise<DirectoryEntry[]> {
    const changed = rows.filter(row => {
      const before = this.#agents.get(row.id);
      return before === undefined || isOther(row, before);
    });
    for (const [code, ofRegion] of Map.groupBy(changed, row => row.region)) {
      const isKnown = ({ id, able }: DirectoryEntry) => {
        const before = this.#agents.get(id);
        return isLive(before) && before?.able === able;
      };
      const come = ofRegion.filter(row => isLive(row) && !isKnown(row));
      const gone = ofRegion.filter(row => !isLive(row) && isLive(this.#agents.get(row.id)));
      for (const row of ofRegion) this.#agents.set(row.id, row);
      if (come.length === 0 && gone.length === 0) continue;
      await inTurns(this.#plan.changeAgents(code, come, idsOf(gone), moves));
    }
    return changed;
  }

  /** Agents that another server does not have any more are revoked. */
  #withLost(rows: readonly DirectoryEntry[]): DirectoryEntry[] {
    const kept = new Set(idsOf(rows));
    const lost = [...this.#agents.values()].filter(({ id }) => !kept.has(id));
    return [...rows, ...lost.map(row => ({ ...row, revoked: true }))];
  }

  #liveIn(code: string): DirectoryEntry[] {
    return [...this.#agents.values()].filter(row => row.region === code && isLive(row));
  }

  async #closeUnused(inUse: ReadonlySet<string>, nowMs: number): Promise<void> {
    for (const code of inUse) this.#usedAtMs.set(code, nowMs);
    for (const [code, usedAtMs] of this.#usedAtMs) {
      if (nowMs - usedAtMs <= keepMs) continue;
      this.#usedAtMs.delete(code);
      this.#known.delete(code);
      await inTurns(this.#plan.closeRegion(code));
    }
  }
}

function isLive(row: DirectoryEntry | undefined): boolean {
  return row?.online === true && !row.revoked;
}

function isOther(row: DirectoryEntry, before: DirectoryEntry): boolean {
  return (
    row.online !== before.online ||
    row.revoked !== before.revoked ||
    row.session_id !== before.session_id ||
    row.able !== before.able
  );
}

function idsOf(rows: readonly DirectoryEntry[]): string[] {
  return rows.map(({ id }) => id);
}

async function inTurns(work: Generator<void>): Promise<void> {
  for (const _ of work) await setImmediate();
}
