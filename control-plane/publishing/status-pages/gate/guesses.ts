import { boundedCache } from '#shared/bounded-cache.ts';
import { minuteMs } from '#shared/duration.ts';

const perAddress = 5;
const perPage = 60;
const keysMax = 50_000;

/** Guesses at passwords within the last minute, as far as this replica was asked. */
export class Guesses {
  readonly #times = boundedCache<number[]>(keysMax);

  /**
   * Counts a guess of an address, whichever page it is at; null if it may be tried, else in how many seconds the next
   * may be.
   */
  charge(pageId: string, address: string, nowMs: number): number | null {
    return this.#take(`from ${address}`, perAddress, nowMs) ?? this.#take(pageId, perPage, nowMs);
  }

  #take(key: string, max: number, nowMs: number): number | null {
    const recent = (this.#times.get(key) ?? []).filter(at => nowMs - at < minuteMs && at <= nowMs);
    const first = recent[0];
    if (first !== undefined && recent.length >= max) return Math.ceil((first + minuteMs - nowMs) / 1000);
    this.#times.set(key, [...recent, nowMs]);
    return null;
  }
}
