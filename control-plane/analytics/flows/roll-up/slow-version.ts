import { minuteMs } from '#shared/duration.ts';

const restMaxMs = 60 * minuteMs;

/** How long a version rests after its last strike: a minute, two, four … at most an hour. */
export function restMs(strikes: number): number {
  return Math.min(2 ** Math.max(0, strikes - 1) * minuteMs, restMaxMs);
}

/** How much of a round's portion a version gets that was too slow with twice as much. */
export function portionOf(whole: number, strikes: number): number {
  return Math.max(1, Math.floor(whole / 2 ** strikes));
}
