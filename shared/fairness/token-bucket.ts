/** A token bucket: refilled steadily, never above its capacity. A bucket that nobody used yet is full. */
export type Bucket = { capacity: number; perSecond: number };

/** Rounding errors of floating point; no charge is that small. */
export const tolerance = 1e-6;

/** Pure: the tokens at `nowMs` in a bucket that had `tokens` at `atMs`. A clock that ran backwards refills nothing. */
export function tokensAt(
  nowMs: number,
  { tokens, atMs }: { tokens: number; atMs: number },
  { capacity, perSecond }: Bucket,
): number {
  return Math.min(capacity, tokens + (Math.max(0, nowMs - atMs) * perSecond) / 1000);
}

/** Whole seconds, at least 1, after which `count` is granted if nobody else is charged; null when it is granted now. */
export function retryAfterSeconds(
  levels: readonly { tokens: number; perSecond: number }[],
  count: number,
): number | null {
  const lacking = levels.filter(({ tokens }) => tokens < count - tolerance);
  if (lacking.length === 0) return null;
  const seconds = lacking.map(({ tokens, perSecond }) => (count - tokens) / perSecond - tolerance);
  return Math.max(1, Math.ceil(Math.max(...seconds)));
}

/**
 * A token bucket that never refuses: `charge` returns how long to stop, and what is owed is paid first. Time in
 * milliseconds on any monotonic clock. The limits may be changed at any time.
 */
export class TokenBucket {
  limits: Bucket;
  #tokens: number;
  #atMs: number;

  constructor(limits: Bucket, nowMs: number) {
    this.limits = limits;
    this.#tokens = limits.capacity;
    this.#atMs = nowMs;
  }

  /** Milliseconds until nothing is owed any more; 0 if nothing is. */
  charge(count: number, nowMs: number): number {
    this.#tokens = tokensAt(nowMs, { tokens: this.#tokens, atMs: this.#atMs }, this.limits) - count;
    this.#atMs = nowMs;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1000) / this.limits.perSecond);
  }

  /** Nothing is owed any more. */
  settle(): void {
    this.#tokens = Math.max(0, this.#tokens);
  }
}
