import type { SpoolRow } from '#agent/spool/spool-file.ts';
import type { Message, QueuedResult } from './broker.ts';
import type { DeliveryRow } from './rows.ts';
import { keyOf } from './rows.ts';

/** An invariant that does not hold. */
export class Violation extends Error {
  override name = 'Violation';
}

/**
 * What was promised: acknowledged results, who may write, messages that were sent. A promise that is broken is kept
 * as the first violation.
 */
export class Ledger {
  readonly #isKept: (key: string) => boolean;
  readonly #refused = new Set<string>();
  readonly #promised = new Set<string>();
  readonly #holders = new Map<string, string>();
  /** Keys in their order, by process and agent. */
  readonly #reported = new Map<string, Map<string, number>>();
  readonly #queued = new Set<string>();
  readonly #lastQueued = new Map<string, number>();
  readonly #told = new Set<string>();
  violation: Violation | null = null;

  readonly #onFailure: () => void;

  /** `isKept`: whether a result is stored, or in a stream. */
  constructor(isKept: (key: string) => boolean, onFailure: () => void) {
    this.#isKept = isKept;
    this.#onFailure = onFailure;
  }

  /** Keys of all results that were acknowledged as stored. */
  get promised(): ReadonlySet<string> {
    return this.#promised;
  }

  fail(what: string): void {
    this.violation ??= new Violation(what);
    this.#onFailure();
  }

  /** A result that the product refuses leaves the spool, and is stored nowhere. */
  refused(agentId: string, seq: number): void {
    this.#refused.add(`${agentId} ${seq}`);
  }

  /** An agent hears of an acknowledgement: all its results up to `seq` must be kept somewhere. */
  acknowledged(agentId: string, rows: readonly SpoolRow[], seq: number): void {
    for (const row of rows) {
      if (row.seq > seq) return;
      if (this.#refused.has(`${agentId} ${row.seq}`)) continue;
      const key = keyOfRow(agentId, row);
      if (!this.#isKept(key)) this.fail(`${agentId} heard that ${key} is stored, and it is not`);
      this.#promised.add(key);
    }
  }

  /** An agent deletes rows: those not beyond the bounds of its spool must be kept elsewhere. */
  deleted(agentId: string, rows: readonly SpoolRow[], freedUpTo: number): void {
    for (const row of rows) {
      if (row.seq <= freedUpTo || this.#refused.has(`${agentId} ${row.seq}`)) continue;
      const key = keyOfRow(agentId, row);
      if (!this.#isKept(key)) this.fail(`${agentId} deleted ${key}, which is stored nowhere`);
    }
  }

  /** The broker forgets a message: its results must be stored. */
  forgotten({ results }: Message, isStored: (key: string) => boolean): void {
    for (const { agentId, seq, key } of results)
      if (!isStored(key) && !this.#refused.has(`${agentId} ${seq}`))
        this.fail(`the broker forgot ${key} before it was stored`);
  }

  /** An agent reports a result to a process, perhaps again. */
  reported(processId: string, agentId: string, key: string): void {
    const sender = `${processId} ${agentId}`;
    const places = this.#reported.get(sender) ?? new Map<string, number>();
    this.#reported.set(sender, places);
    if (!places.has(key)) places.set(key, places.size);
  }

  /**
   * The broker stores a message of a process: what is new of a monitor was reported to that process in this order.
   * Another process may still have what the agent's spool had no room for.
   */
  queued(processId: string, results: readonly QueuedResult[]): void {
    for (const { agentId, key } of results) {
      const sender = `${processId} ${agentId}`;
      const place = this.#reported.get(sender)?.get(key) ?? 0;
      const monitor = `${sender} ${key.split(' ', 1)}`;
      const last = this.#lastQueued.get(monitor) ?? 0;
      if (place < last && !this.#queued.has(key)) this.fail(`${key} of ${agentId} is queued after what came later`);
      this.#queued.add(key);
      this.#lastQueued.set(monitor, Math.max(place, last));
    }
  }

  /** A process takes a stream over. */
  taken(stream: string, processId: string): void {
    this.#holders.set(stream, processId);
  }

  /** A process stores messages of a stream. */
  written(stream: string, processId: string): void {
    const holder = this.#holders.get(stream);
    if (holder !== processId) this.fail(`${processId} stored messages of ${stream} after ${holder} took it over`);
  }

  /** A message is sent. Its id is its key, by which a receiver knows a repetition. */
  told({ id }: DeliveryRow): void {
    this.#told.add(id);
  }

  wasNotified({ id }: DeliveryRow): boolean {
    return this.#told.has(id);
  }
}

/** Rows are asked for when they are acknowledged, and when they are deleted. */
const keys = new WeakMap<SpoolRow, string>();

function keyOfRow(agentId: string, row: SpoolRow): string {
  const known = keys.get(row);
  if (known !== undefined) return known;
  const region = agentId.split('-')[1] ?? '';
  const key = keyOf({ ...(JSON.parse(row.text) as Parameters<typeof keyOf>[0]), region });
  keys.set(row, key);
  return key;
}
