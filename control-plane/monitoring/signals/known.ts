import { LRUCache } from 'lru-cache';
import { minuteMs } from '#shared/duration.ts';
import { classifyFault } from '../../platform/db/errors.ts';
import type { Receiver } from './store.ts';

export type Found = { receiver: Receiver; created: boolean };

const knownMax = 50_000;
const knownMs = 15 * minuteMs;

/** Addresses that this front found lately: by them signals are taken while the database is away. */
export class KnownReceivers {
  readonly #found = new LRUCache<string, { receiver: Receiver; atMs: number }>({ max: knownMax });

  /** What `look` finds, or what it found within 15 minutes if the database is away. */
  async find(key: string, look: () => Promise<Found | null>, nowMs: number): Promise<Found | null> {
    try {
      const found = await look();
      if (found === null) this.#found.delete(key);
      else this.#found.set(key, { receiver: found.receiver, atMs: nowMs });
      return found;
    } catch (error) {
      const known = this.#found.get(key);
      if (classifyFault(error) !== 'away' || known === undefined || nowMs - known.atMs > knownMs) throw error;
      return { receiver: known.receiver, created: false };
    }
  }
}
