import type { SpoolRow } from '#agent/spool/spool-file.ts';
import type { Message } from './broker.ts';
import type { DeliveryRow } from './rows.ts';
import { keyOf } from './rows.ts';

/** An invariant that does not hold. */
export class Violation extends Error {
  override name = 'Violation';
}

/**
 * What was promised: acknowledged results, fences that wrote, messages that were sent. A promise that is broken is kept
 * as the first violation.
 */
export class Ledger {
  readonly #isKept: (key: string) => boolean;
  readonly #refused = new Set<string>();
  readonly #promised = new Set<string>();
  readonly #fences = new Map<number, number>();
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
  forgotten({ batch }: Message, isStored: (key: string) => boolean): void {
    for (const { result, region, agentId } of batch) {
      const key = keyOf({ ...result, region });
      if (!isStored(key) && !this.#refused.has(`${agentId} ${result.seq}`))
        this.fail(`the broker forgot ${key} before it was stored`);
    }
  }

  /** A sink writes under a fence. */
  written(shard: number, fence: number): void {
    const last = this.#fences.get(shard) ?? 0;
    if (fence < last) this.fail(`shard ${shard} was written under fence ${fence} after ${last}`);
    this.#fences.set(shard, fence);
  }

  /** A message is sent. Its id is its key, by which a receiver knows a repetition. */
  told({ id }: DeliveryRow): void {
    this.#told.add(id);
  }

  wasTold({ id }: DeliveryRow): boolean {
    return this.#told.has(id);
  }
}

function keyOfRow(agentId: string, { text }: SpoolRow): string {
  const region = agentId.split('-')[1] ?? '';
  return keyOf({ ...(JSON.parse(text) as Parameters<typeof keyOf>[0]), region });
}
