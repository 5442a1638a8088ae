import { boundedCache } from '#shared/bounded-cache.ts';
import type { AssignmentSet } from './assignment-set.ts';

/** What agents held when they left, so that a short break costs a delta instead of a snapshot. */
export class RecentlyGone {
  readonly #sets = boundedCache<AssignmentSet>(10_000);

  keep(agentId: string, assigned: AssignmentSet): void {
    this.#sets.set(agentId, assigned);
  }

  /** Null if it is not known. */
  take(agentId: string): AssignmentSet | null {
    const assigned = this.#sets.get(agentId) ?? null;
    this.#sets.delete(agentId);
    return assigned;
  }
}
