/** Exponential backoff with full jitter: a wait from 0 to base·2^failures, capped. `random` is in [0, 1). */
export function fullJitter(failures: number, baseMs: number, capMs: number, random: number): number {
  return Math.floor(random * Math.min(capMs, baseMs * 2 ** Math.min(failures, 30)));
}
