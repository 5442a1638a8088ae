import type { Clock } from '#shared/clock.ts';

type Sample = { offsetMs: number; roundTripMs: number };

const samplesMax = 8;
/**
 * A deviation beyond the round trip: the host slept, or the control plane's clock was set. A message that was held up
 * on its way looks the same, but only as if the control plane's clock had been set back.
 */
const jumpMs = 1000;

/**
 * The agent's time: a monotonic clock plus the offset measured on the socket, so that setting the host's clock has no
 * effect. Of the last eight samples, the one with the shortest round trip counts. It is set back only by two samples in
 * a row that agree, so that a single late one does not make slots pass twice or be missed.
 */
export class ClockOffset implements Clock {
  readonly #monotonic: () => number;
  #offsetMs: number;
  #samples: Sample[] = [];
  /** That of the sample before, if it seemed late. */
  #lateOffsetMs: number | null = null;

  constructor(monotonic: () => number = () => performance.now(), firstGuessMs: number = Date.now() - monotonic()) {
    this.#monotonic = monotonic;
    this.#offsetMs = firstGuessMs;
  }

  /** Milliseconds since the epoch by the control plane's clock. */
  now(): number {
    return Math.round(this.#monotonic() + this.#offsetMs);
  }

  /** Milliseconds of the monotonic clock, the time base of `guess` and `measure`. */
  monotonicNow(): number {
    return this.#monotonic();
  }

  /** How far the host's clock is behind the control plane's, in milliseconds; negative if ahead. For display. */
  get hostOffsetMs(): number {
    return Math.round((this.#monotonic() + this.#offsetMs - Date.now()) * 10) / 10;
  }

  /** Records the server's time, received at `atMs` with unknown delay. Used only until there is a measurement. */
  guess(serverTimeMs: number, atMs: number): void {
    const offsetMs = serverTimeMs - atMs;
    if (this.#samples.length > 0 && offsetMs - this.#offsetMs <= jumpMs) return;
    this.#samples = [];
    this.#offsetMs = offsetMs;
  }

  /** Records the server's time, received at `atMs`, and the round trip measured right after it. */
  measure(serverTimeMs: number, atMs: number, roundTripMs: number): void {
    const offsetMs = serverTimeMs + roundTripMs / 2 - atMs;
    const aheadMs = offsetMs - this.#offsetMs;
    // What we have may itself be off by half of its round trip.
    const allowedMs = jumpMs + roundTripMs + (this.#samples.length > 0 ? bestOf(this.#samples).roundTripMs / 2 : 0);
    const isBehind = this.#samples.length > 0 && aheadMs < -allowedMs;
    const before = this.#lateOffsetMs;
    this.#lateOffsetMs = isBehind ? offsetMs : null;
    // Two that were held up differ by how long; a clock that was set back gives the same twice.
    if (isBehind && (before === null || Math.abs(offsetMs - before) > jumpMs)) return;
    if (Math.abs(aheadMs) > allowedMs) this.#samples = [];
    this.#samples = [...this.#samples, { offsetMs, roundTripMs }].slice(-samplesMax);
    this.#offsetMs = bestOf(this.#samples).offsetMs;
  }
}

/** The newest of those with the shortest round trip. */
function bestOf(samples: readonly Sample[]): Sample {
  return samples.reduce((best, sample) => (sample.roundTripMs <= best.roundTripMs ? sample : best));
}
