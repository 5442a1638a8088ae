import { LRUCache } from 'lru-cache';
import { minuteMs } from '#shared/duration.ts';
import { Problem } from '../../platform/http/problem.ts';

const keysMax = 50_000;
const perMinute = { secret: 60, project: 600, unknown: 30, create: 20 / 60 } as const;
const burst = { secret: 60, project: 600, unknown: 30, create: 20 } as const;

/**
 * How many signals this process takes: buckets in its memory, since a signal must be taken also while the database is
 * away, and cost little.
 */
export class SignalLimits {
  readonly #buckets = new LRUCache<string, { tokens: number; atMs: number }>({ max: keysMax });

  /** Throws `rate_limited`. */
  charge(kind: keyof typeof perMinute, key: string, nowMs: number): void {
    const name = `${kind} ${key}`;
    const bucket = this.#buckets.get(name) ?? { tokens: burst[kind], atMs: nowMs };
    const perMs = perMinute[kind] / minuteMs;
    const tokens = Math.min(burst[kind], bucket.tokens + Math.max(0, nowMs - bucket.atMs) * perMs);
    if (tokens < 1)
      throw new Problem('rate_limited', { retryAfter: Math.max(1, Math.ceil((1 - tokens) / perMs / 1000)) });
    this.#buckets.set(name, { tokens: tokens - 1, atMs: nowMs });
  }
}
