import type { Confirmation } from '#shared/vocabulary.ts';

const keptMax = 1000;
const keptMs = 10_000;

/** Checks that were asked for while their agents were arriving: they are sent once the agents are planned for. */
export class LateChecks {
  #kept: Confirmation[] = [];

  /** Drops it if there are too many. */
  keep(check: Confirmation): void {
    if (this.#kept.length < keptMax) this.#kept.push(check);
  }

  /** Those that are not too old. */
  take(nowMs: number): Confirmation[] {
    const kept = this.#kept;
    this.#kept = [];
    return kept.filter(({ at }) => at > nowMs - keptMs);
  }
}
