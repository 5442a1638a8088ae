import type { CpuMeter } from '#shared/assertions/budget.ts';
import { maxMinShare } from '#shared/fairness/max-min-share.ts';

/** CPU time is counted over this long, in parts. */
const [parts, partMs] = [10, 1000];
/** What assertions of all lanes may take of it: half, which leaves the other for connections and timers. */
const usedMaxMicros = (parts * partMs * 1000) / 2;
/** For so long a level is good enough: finding it looks at all lanes. */
const levelMs = 100;

/**
 * The CPU time of the event loop that lanes spend on assertions. Beyond half of it in ten seconds, the lanes that use
 * most have to wait, so that as many as possible of the others get what they want. A single lane may use everything.
 */
export class CpuShares {
  readonly #lanes: () => number;
  readonly #nowMs: () => number;
  /** Microseconds of each lane by part, and in all of them. */
  #spent: { part: number; byLane: Map<string, number> }[] = [];
  readonly #used = new Map<string, number>();
  #total = 0;
  #level = { micros: Number.POSITIVE_INFINITY, foundMs: Number.NEGATIVE_INFINITY };

  /** `lanes`: how many lanes there are at present. `nowMs` never goes back. */
  constructor(lanes: () => number, nowMs = () => performance.now()) {
    this.#lanes = lanes;
    this.#nowMs = nowMs;
  }

  of(lane: string): CpuMeter {
    return {
      isShort: () => this.#isShort(lane),
      spend: micros => this.#spend(lane, micros),
    };
  }

  #isShort(lane: string): boolean {
    this.#forgetOld();
    if (this.#total <= usedMaxMicros || this.#lanes() <= 1) return false;
    const now = this.#nowMs();
    if (now - this.#level.foundMs >= levelMs)
      this.#level = { micros: maxMinShare([...this.#used.values()], usedMaxMicros), foundMs: now };
    return (this.#used.get(lane) ?? 0) > this.#level.micros;
  }

  #spend(lane: string, micros: number): void {
    const part = Math.floor(this.#nowMs() / partMs);
    if (this.#spent.at(-1)?.part !== part) this.#spent.push({ part, byLane: new Map() });
    for (const counts of [this.#used, this.#spent.at(-1)?.byLane])
      counts?.set(lane, (counts.get(lane) ?? 0) + Math.round(micros));
    this.#total += Math.round(micros);
  }

  #forgetOld(): void {
    const oldest = Math.floor(this.#nowMs() / partMs) - parts + 1;
    for (const { part, byLane } of this.#spent)
      for (const [lane, micros] of part < oldest ? byLane : []) {
        const left = (this.#used.get(lane) ?? 0) - micros;
        if (left > 0) this.#used.set(lane, left);
        else this.#used.delete(lane);
        this.#total -= micros;
      }
    this.#spent = this.#spent.filter(({ part }) => part >= oldest);
  }
}
