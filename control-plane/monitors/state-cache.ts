import type { Sql } from '../db/sql.ts';
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
  readonly #states = new Map<string, { version: string; state: MonitorState }>();
  #server = '';

  /** Locks the rows and returns what is in them. */
  async lock(sql: Sql, monitorIds: readonly string[]): Promise<LockedStates> {
    const { rows, ownVersion, server } = await lockVersions(sql, monitorIds);
    // A standby that took over counts its transactions from where it was.
    if (server !== this.#server) this.#states.clear();
    this.#server = server;
    const unknown = rows.filter(row => this.#states.get(row.monitorId)?.version !== row.version);
    const read = new Map((await findStates(sql, ids(unknown))).map(state => [state.monitorId, state]));
    const states = rows.flatMap(({ monitorId, version }) => {
      const state = read.get(monitorId);
      if (state === undefined) return this.#states.get(monitorId)?.state ?? [];
      this.#put(version, state);
      return state;
    });
    return { states, ownVersion };
  }

  /** What a transaction wrote last, once it has committed. */
  keep(states: readonly MonitorState[], ownVersion: string): void {
    for (const state of states) this.#put(ownVersion, state);
  }

  #put(version: string, state: MonitorState): void {
    if (this.#states.size >= statesMax) this.#states.clear();
    this.#states.set(state.monitorId, { version, state });
  }
}

function ids(rows: readonly { monitorId: string }[]): string[] {
  return rows.map(row => row.monitorId);
}
