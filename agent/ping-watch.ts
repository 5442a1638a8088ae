/** Longest silence before the period is known, and the shortest and longest after that. */
const [unknownMs, shortestMs, longestMs] = [45_000, 12_000, 45_000];
/** Silence in periods that ends a connection: the second ping in a row is missing, and somewhat late. */
const periodsMax = 2.4;
const gapsMax = 3;

/**
 * How long the control plane may be silent: 12 s if it pings every 5 s. One that is older pings every 15 s and does not
 * say so; its period is the longest of the last gaps between pings.
 */
export class PingWatch {
  readonly #announcedMs: number | null;
  #gaps: readonly number[] = [];
  #pings = 0;
  #lastMs = 0;

  /** `announcedMs`: the period that `welcome` announced; null if it announced none. */
  constructor(announcedMs: number | null = null) {
    this.#announcedMs = announcedMs;
  }

  /** Milliseconds without a ping after which the connection is given up. */
  get patienceMs(): number {
    const periodMs = this.#announcedMs ?? (this.#gaps.length === 0 ? null : Math.max(...this.#gaps));
    if (periodMs === null) return unknownMs;
    return Math.min(longestMs, Math.max(shortestMs, Math.ceil(periodMs * periodsMax)));
  }

  /** Notes a ping. The first comes with the welcome, at any point of the period, so the gap after it says nothing. */
  note(nowMs: number): void {
    this.#pings += 1;
    if (this.#pings > 2) this.#gaps = [...this.#gaps, nowMs - this.#lastMs].slice(-gapsMax);
    this.#lastMs = nowMs;
  }
}
