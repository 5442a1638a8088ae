import type { Share } from './share.ts';

const departedMax = 10_000;

/** What agents held when they left, so that a short break costs a delta instead of a snapshot. */
export class Departed {
  readonly #shares = new Map<string, Share>();

  /** Forgets the one that left first when there are too many. */
  keep(agentId: string, share: Share): void {
    this.#shares.delete(agentId);
    this.#shares.set(agentId, share);
    const [first] = this.#shares.keys();
    if (this.#shares.size > departedMax && first !== undefined) this.#shares.delete(first);
  }

  /** Null if the agent's share is not known. */
  take(agentId: string): Share | null {
    const share = this.#shares.get(agentId) ?? null;
    this.#shares.delete(agentId);
    return share;
  }
}
