/** Full jitter: a wait between 0 and base·2^failures, never above the cap. `random` is in [0, 1). */
export function fullJitter(failures: number, baseMs: number, capMs: number, random: number): number {
  return Math.floor(random * Math.min(capMs, baseMs * 2 ** Math.min(failures, 30)));
}
