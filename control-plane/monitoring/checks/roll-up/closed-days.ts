import { dayOf, hourMs, minuteMs } from '#shared/duration.ts';

/** How far the clocks of two processes are apart at most: one may have closed a day that is not over for the other. */
const clocksApartMs = minuteMs;

/** Midnight of UTC until which days are closed, and may be summed up: the last one has been over for an hour. */
export function closedUntil(nowMs: number): number {
  return dayOf(nowMs - hourMs);
}

/** Results before this instant are late: their day may be summed up already. */
export function lateBefore(nowMs: number): number {
  return closedUntil(nowMs + clocksApartMs);
}
