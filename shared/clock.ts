/** Where time comes from: milliseconds since the epoch. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/** RFC 3339 in UTC with milliseconds, as every answer of the API writes it. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
