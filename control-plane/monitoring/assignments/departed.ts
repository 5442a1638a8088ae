import { LRUCache } from 'lru-cache';
import type { Share } from './share.ts';

/** What agents held when they left, so that a short break costs a delta instead of a snapshot. */
export class Departed {
  readonly #shares = new LRUCache<string, Share>({ max: 10_000 });

  keep(agentId: string, share: Share): void {
    this.#shares.set(agentId, share);
  }

  /** Null if the agent's share is not known. */
  take(agentId: string): Share | null {
    const share = this.#shares.get(agentId) ?? null;
    this.#shares.delete(agentId);
    return share;
  }
}
