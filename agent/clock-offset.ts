import type { Clock } from '#shared/clock.ts';

type Sample = { offsetMs: number; roundTripMs: number };

const samplesMax = 8;
/** A deviation no network delay explains: the host slept or the control plane's clock was set. */
const jumpMs = 1000;

/**
 * The agent's time: a monotonic clock plus the offset measured on the socket. Setting the host's
 * clock changes nothing; of the last eight samples the one of least round trip counts.
 */
export class ClockOffset implements Clock {
  readonly #monotonic: () => number;
  #offsetMs: number;
  #samples: Sample[] = [];

  constructor(monotonic: () => number = () => performance.now(), firstGuessMs: number = Date.now() - monotonic()) {
    this.#monotonic = monotonic;
    this.#offsetMs = firstGuessMs;
  }

  now(): number {
    return Math.round(this.#monotonic() + this.#offsetMs);
  }

  monotonicNow(): number {
    return this.#monotonic();
  }

  /** How far the host's own clock is behind the control plane's, for people to see; negative when it is ahead. */
  get hostOffsetMs(): number {
    return Math.round((this.#monotonic() + this.#offsetMs - Date.now()) * 10) / 10;
  }

  /** The server's time seen at `atMs` of the monotonic clock, delay unknown: used until a measurement is there. */
  guess(serverTimeMs: number, atMs: number): void {
    const offsetMs = serverTimeMs - atMs;
    if (this.#samples.length > 0 && Math.abs(offsetMs - this.#offsetMs) <= jumpMs) return;
    this.#samples = [];
    this.#offsetMs = offsetMs;
  }

  /** The server's time seen at `atMs`, with the round trip measured right after it. */
  measure(serverTimeMs: number, atMs: number, roundTripMs: number): void {
    const offsetMs = serverTimeMs + roundTripMs / 2 - atMs;
    if (Math.abs(offsetMs - this.#offsetMs) > jumpMs + roundTripMs) this.#samples = [];
    this.#samples = [...this.#samples, { offsetMs, roundTripMs }].slice(-samplesMax);
    const best = this.#samples.reduce((least, sample) => (sample.roundTripMs <= least.roundTripMs ? sample : least));
    this.#offsetMs = best.offsetMs;
  }
}
