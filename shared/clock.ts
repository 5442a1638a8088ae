/** A source of time, in milliseconds since the epoch. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };

/** RFC 3339 in UTC with milliseconds, as in every response of the API. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}
