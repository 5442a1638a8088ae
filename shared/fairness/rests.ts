/** How long a key that worked rests: `times` as long as the work took, at most `maxMs`. */
export type RestOptions = { times: number; maxMs: number };

/**
 * What has worked rests in proportion, so that work that repeats takes a bounded share of a machine, and what comes
 * meanwhile is done together. Keys are remembered only while they rest.
 */
export class Rests<Key> {
  readonly #options: RestOptions;
  readonly #now: () => number;
  readonly #until = new Map<Key, number>();

  /** `now`: a clock in milliseconds that never goes back. */
  constructor(options: RestOptions, now = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /** Those that do not rest. */
  awake(keys: readonly Key[]): Key[] {
    const nowMs = this.#now();
    for (const [key, untilMs] of this.#until) if (untilMs <= nowMs) this.#until.delete(key);
    return keys.filter(key => !this.#until.has(key));
  }

  /** Runs a key's work. It rests afterwards unless more is left to do, which is what the work returns. */
  async after(key: Key, work: () => Promise<boolean>): Promise<boolean> {
    const beganMs = this.#now();
    const hasMore = await work();
    const endedMs = this.#now();
    const { times, maxMs } = this.#options;
    if (!hasMore) this.#until.set(key, endedMs + Math.min(maxMs, times * (endedMs - beganMs)));
    return hasMore;
  }
}
