/** Spans of time in milliseconds. */
export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The midnight of UTC that an instant's day begins with. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs) * dayMs;
}
