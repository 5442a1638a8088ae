import { boundedCache } from '#shared/bounded-cache.ts';
import { minuteMs, secondMs } from '#shared/duration.ts';
import { type Bucket, retryAfterSeconds, tokensAt } from '#shared/fairness/token-bucket.ts';
import { Problem } from '../../platform/http/problem.ts';

const keysMax = 50_000;
const perMinute = (count: number): Bucket => ({ capacity: count, perSecond: (count * secondMs) / minuteMs });
const limits = {
  secret: perMinute(60),
  project: perMinute(600),
  unknown: perMinute(30),
  /** An hour. */
  create: { capacity: 20, perSecond: 20 / 3600 },
} as const;

/**
 * How many signals this process takes: buckets in its memory, since a signal must be taken also while the database is
 * away, and cost little.
 */
export class SignalLimits {
  readonly #buckets = boundedCache<{ tokens: number; atMs: number }>(keysMax);

  /** Throws `rate_limited`. */
  charge(kind: keyof typeof limits, key: string, nowMs: number): void {
    const name = `${kind} ${key}`;
    const { capacity, perSecond } = limits[kind];
    const bucket = this.#buckets.get(name) ?? { tokens: capacity, atMs: nowMs };
    const tokens = tokensAt(nowMs, bucket, { capacity, perSecond });
    const retryAfter = retryAfterSeconds([{ tokens, perSecond }], 1);
    if (retryAfter !== null) throw new Problem('rate_limited', { retryAfter });
    this.#buckets.set(name, { tokens: tokens - 1, atMs: nowMs });
  }
}
