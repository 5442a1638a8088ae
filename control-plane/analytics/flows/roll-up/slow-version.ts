import { minuteMs } from '#shared/duration.ts';

const backOffMaxMs = 60 * minuteMs;

/** How long a version backs off after its last failure: a minute, two, four … at most an hour. */
export function backOffMs(failures: number): number {
  return Math.min(2 ** Math.max(0, failures - 1) * minuteMs, backOffMaxMs);
}

/** How much of a round's portion a version gets that was too slow with twice as much. */
export function portionOf(whole: number, failures: number): number {
  return Math.max(1, Math.floor(whole / 2 ** failures));
}
