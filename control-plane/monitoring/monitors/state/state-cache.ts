import type { LRUCache } from 'lru-cache';
import { boundedCache } from '#shared/bounded-cache.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { MonitorState } from './state.ts';
import { findStates, lockVersions } from './state-store.ts';

/** Locked states in id order, and the version that rows have once this transaction has written them. */
export type LockedStates = { states: MonitorState[]; ownVersion: string };

const statesMax = 20_000;

/**
 * States as they were last read or written here, each with the version of its row: the transaction that wrote it. A
 * row that another transaction wrote since is read again, so it does not matter who does. Reading a row takes our side
 * three times as long as judging a result.
 */
export class StateCache {
  /** By the last write. A Map finds its oldest entry among the holes of deleted ones: 10 µs for each state. */
  readonly #states: LRUCache<string, { version: string; state: MonitorState }>;
  #server = '';

  /** Keeps at most `max` states. */
  constructor(max = statesMax) {
    this.#states = boundedCache(max);
  }

  /** Locks the rows and returns what is in them. */
  async lock(sql: Sql, monitorIds: readonly string[]): Promise<LockedStates> {
    const { rows, ownVersion, server } = await lockVersions(sql, monitorIds);
    // A standby that took over counts its transactions from where it was.
    if (server !== this.#server) this.#states.clear();
    this.#server = server;
    // By themselves: while the others are read, another batch may push these out of the cache.
    const found = new Map(
      rows.flatMap(({ monitorId, version }) => {
        const cached = this.#states.peek(monitorId);
        return cached?.version === version ? [[monitorId, cached.state] as const] : [];
      }),
    );
    const versions = new Map(rows.map(({ monitorId, version }) => [monitorId, version]));
    const unknown = rows.flatMap(({ monitorId }) => (found.has(monitorId) ? [] : monitorId));
    for (const state of await findStates(sql, unknown)) {
      found.set(state.monitorId, state);
      this.#put(versions.get(state.monitorId) ?? '', state);
    }
    return { states: rows.flatMap(({ monitorId }) => found.get(monitorId) ?? []), ownVersion };
  }

  /** What a transaction wrote last, once it has committed. */
  keep(states: readonly MonitorState[], ownVersion: string): void {
    for (const state of states) this.#put(ownVersion, state);
  }

  #put(version: string, state: MonitorState): void {
    this.#states.set(state.monitorId, { version, state });
  }
}
